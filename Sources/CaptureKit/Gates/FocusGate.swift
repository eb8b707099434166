// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Says whether the picture is as sharp as it was at its best, a short while ago.
///
/// How sharp a scene can be, nobody knows beforehand: the best so far is the measure. It fades, so that a scene that can
/// be less sharp than the one before soon passes again. The score is a part of the best, or of the floor where the best is
/// below it: a picture that is blurred from the start does not pass. A value, of no thread.
public struct FocusGate: Sendable {
    /// By default a picture must have this part of the best sharpness.
    public static let least = 0.6

    /// In so many frames a best that is not reached again fades to half.
    private static let halfLife = 150.0
    /// The frames over which sharpness is averaged, so that noise plays no part.
    private static let span = 4.0
    private static let fading = exp2(-1 / halfLife)

    private let least: Double
    private let floor: Double
    private var smooth: Double?
    private var best = 0.0
    private var hysteresis = Hysteresis(true, framesToFail: 5, framesToPass: 5)

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - least: the least part of the best sharpness, 0 to 1.
    ///   - floor: the least sharpness that passes, whatever the best is; 0 for none.
    public init(least: Double = Self.least, floor: Double = GateRequest.usualSharpness) {
        (self.least, self.floor) = (least, floor.isFinite ? max(0, floor) : 0)
    }

    /// Takes the sharpness of the next frame into account; what is not a finite number counts for none.
    public mutating func add(_ sharpness: Double) -> GateVerdict {
        let sharpness = sharpness.isFinite ? max(0, sharpness) : 0
        let level = smooth.map { $0 + (sharpness - $0) / Self.span } ?? sharpness
        smooth = level
        best = max(level, best * Self.fading)
        // At the floor exactly, the score is the least.
        let reference = max(best, least > 0 ? floor / least : 0)
        let score = reference > 0 ? level / reference : 1
        // Once it is blurred, a little more is asked for.
        let needed = hysteresis.passes ? least : least * 1.1
        let passes = hysteresis.add(score >= min(needed, 1))
        return GateVerdict(gate: .focus, score: score, threshold: least, passes: passes, hint: .notInFocusYet)
    }
}
