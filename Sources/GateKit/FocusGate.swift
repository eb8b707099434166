// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import Glibc

/// Judges whether the picture is as sharp as it was at its best, a short while ago.
///
/// The possible sharpness of a scene is not known beforehand, so the best so far is the reference. It decays, so that a
/// less sharp scene soon passes again. The score is the sharpness as a fraction of the best. The floor limits the
/// reference from below: a picture that is blurred from the start does not pass. A value type without thread affinity.
public struct FocusGate: Sendable {
    /// The usual least fraction of the best sharpness.
    public static let least = 0.6

    /// The number of frames in which the best decays to half, if it is not reached again.
    private static let halfLife = 150.0
    /// The number of frames over which sharpness is averaged, against noise.
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
    ///   - least: The least fraction of the best sharpness, 0 to 1.
    ///   - floor: The least sharpness that passes, independent of the best; 0 for none.
    public init(least: Double = Self.least, floor: Double = GateRequest.usualSharpness) {
        (self.least, self.floor) = (least, floor.isFinite ? max(0, floor) : 0)
    }

    /// Judges the sharpness of the next frame; a value that is not finite counts as 0.
    public mutating func add(_ sharpness: Double) -> GateVerdict {
        let sharpness = sharpness.isFinite ? max(0, sharpness) : 0
        let level = smooth.map { $0 + (sharpness - $0) / Self.span } ?? sharpness
        smooth = level
        best = max(level, best * Self.fading)
        // At exactly the floor, the score equals `least`.
        let reference = max(best, least > 0 ? floor / least : 0)
        let score = reference > 0 ? level / reference : 1
        // A failed gate requires a little more.
        let needed = hysteresis.passes ? least : least * 1.1
        let passes = hysteresis.add(score >= min(needed, 1))
        return GateVerdict(gate: .focus, score: score, threshold: least, passes: passes, hint: .notInFocusYet)
    }
}
