// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FrameMeasures
import PipelineKit
import PresetKit

/// The measurement of a condition. ``GateRequest/Kind`` is the condition that a session's file names: `present`
/// measures ``aligned`` for a card, and ``face`` for a face.
public enum Gate: String, Sendable, Hashable, CaseIterable {
    /// The camera does not move.
    case steady
    /// The picture is as sharp as it can be.
    case focus
    /// The picture is neither too dark nor too bright.
    case light
    /// The edges of the subject lie on the outline.
    case aligned
    /// A face is in the outline.
    case face
}

/// The subject that belongs in an outline, and its place on the preview.
package struct GateSubject: Sendable, Hashable {
    /// The kind of subject to detect.
    package let presence: OutlinePresence
    /// The line around the outline's closed shape, from corner to corner, as parts of the preview's width and height.
    package let boundary: [PixelPoint]
}

/// The measurements of a preview frame that gates share, made once for all of them.
///
/// A view is reused for frame after frame, and allocates nothing once its buffers exist. A value type without thread
/// affinity.
public struct GateView: Sendable {
    /// The luma of the picture, scaled down.
    public private(set) var luma = LumaFrame()
    /// The variance of the Laplacian of luma at the preview's own size, as the ledger records it for stills.
    public private(set) var sharpness = 0.0

    /// Creates a view that has seen no frame.
    public init() {}

    /// Measures a raw frame of the preview.
    ///
    /// - Returns: `false` if this kind of frame cannot be measured; the view then keeps the previous measurements.
    public mutating func look(at buffer: Buffer, _ info: VideoInfo) -> Bool {
        guard let measure = PictureMeasure(buffer, info), luma.fill(from: buffer, info) else { return false }
        sharpness = measure.sharpness
        return true
    }
}

/// A verdict with its score on the scale from 0 to 1.
struct GateJudgment: Sendable, Hashable {
    /// The score from 0 to 1, see ``GateScale``.
    var score: Double
    var holds: Bool
    /// `nil` if the gate holds.
    var hint: GateHint?

    init(_ verdict: GateVerdict, score: Double) {
        (self.score, holds, hint) = (score, verdict.passes, verdict.hint)
    }

    /// Combines two judgments: both have to hold.
    func joined(_ other: GateJudgment) -> GateJudgment {
        var joined = score <= other.score ? self : other
        (joined.holds, joined.hint) = (holds && other.holds, hint ?? other.hint)
        return joined
    }
}

/// A gate's verdict on a frame.
public struct GateVerdict: Sendable, Hashable {
    /// The gate that judged.
    public var gate: Gate
    /// The measured value, in the gate's own unit.
    public var score: Double
    /// The limit of the score. Depending on the gate, the score must be at least or at most this.
    public var threshold: Double
    /// `true` if the gate passes. Several frames in a row must agree to change it, so that hints do not flicker.
    public var passes: Bool
    /// The hint for the user; `nil` if the gate passes.
    public var hint: GateHint?

    /// Creates a verdict.
    public init(gate: Gate, score: Double, threshold: Double, passes: Bool, hint: GateHint?) {
        (self.gate, self.score, self.threshold, self.passes) = (gate, score, threshold, passes)
        self.hint = passes ? nil : hint
    }
}

/// The score of a gate, as a session records it.
public struct GateScore: Sendable, Hashable {
    /// The kind of the gate.
    public var kind: GateRequest.Kind
    /// The score from 0 to 1, on the scale of ``GateRequest/threshold``; `nil` before the first measurement, and if
    /// nothing can be measured.
    public var score: Double?
    /// The required score.
    public var threshold: Double
    /// `true` if the gate holds. Several frames in a row must agree to change it. A gate that is off counts as holding.
    public var holds: Bool
    /// `true` if the gate cannot be judged here.
    public var isOff = false

    package init(
        kind: GateRequest.Kind, score: Double? = nil, threshold: Double, holds: Bool, isOff: Bool = false
    ) {
        (self.kind, self.score, self.threshold, self.holds, self.isOff) = (kind, score, threshold, holds, isOff)
    }
}

/// The state of a gate that a session watches. A watch emits it once the state is known, and on every change.
public struct GateFinding: Sendable, Hashable {
    /// The call of ``GateWatch/watch(_:of:replacing:)`` that the finding belongs to.
    package var generation: Int
    /// The gate, whether it holds, and its score.
    public var score: GateScore
    /// The hint for the user; `nil` if the gate holds.
    public var hint: GateHint?
    /// Why the gate is off; if it is on, why one of its two judges is unavailable. `nil` if both are available.
    public var reason: String?

    /// The kind of the gate.
    public var kind: GateRequest.Kind { score.kind }
    /// `true` if the gate holds. A gate that is off counts as holding.
    public var holds: Bool { score.holds }
    /// `true` if the gate cannot be judged here.
    public var isOff: Bool { score.isOff }
}

/// A hint that tells the user how to make a gate pass. The raw value is the text on the screen.
public enum GateHint: String, Sendable, Hashable, CaseIterable {
    /// The camera moves.
    case holdStill = "hold still"
    /// The picture is less sharp than at its recent best, or than the least sharpness.
    case notInFocusYet = "not in focus yet"
    /// The picture is too dark.
    case moreLight = "more light"
    /// The picture is too bright, large parts of it are white, or a card has glare.
    case lessLight = "less light"
    /// The subject is too small for the outline.
    case closer = "closer"
    /// The subject is too large for the outline.
    case fartherAway = "farther away"
    /// The subject's edges are not on the outline.
    case lineUp = "line it up with the outline"
    /// No face is in the outline.
    case faceTheCamera = "face the camera"
    /// More than one face is in the picture.
    case onlyOneFace = "only one face"
}
