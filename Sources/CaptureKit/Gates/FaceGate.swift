// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Says whether a face is in the picture, and large enough, from what GStreamer's `facedetect` says on the bus.
///
/// The score is the width of the largest face as a part of the picture's. Pure: it finds no faces by itself, and where
/// that element is not installed, the gate is off and the session says so.
struct FaceGate: Sendable {
    /// The element, of the package that `advice` names.
    static let element = "facedetect"
    /// What to install where the gate is off.
    static let advice = "faces are not looked for; install gstreamer1.0-opencv and opencv-data"
    /// True where faces can be looked for.
    static var isAvailable: Bool { GStreamer.hasElement(element) }
    /// By default a face is to be so large a part of the picture's width.
    static let least = 0.15

    private let least: Double
    private var hysteresis = Hysteresis(false, framesToFail: 5, framesToPass: 3)

    init(least: Double = Self.least) { self.least = least }

    /// Takes a message of the element into account, one a frame; `nil` for messages of others.
    ///
    /// - Parameter width: of the picture that faces were looked for in, in pixels.
    mutating func add(_ message: Structure, width: Int) -> GateVerdict? {
        guard message.name == Self.element, width > 0 else { return nil }
        let largest = Self.faces(in: message).max() ?? 0
        let score = min(Double(largest) / Double(width), 1)
        let passes = hysteresis.add(score >= least)
        let hint = largest == 0 ? GateHint.faceTheCamera : .closer
        return GateVerdict(gate: .face, score: score, threshold: least, passes: passes, hint: hint)
    }

    /// The widths of the faces.
    private static func faces(in message: Structure) -> [UInt64] {
        let faces: [Value] =
            switch message.fields["faces"] {
            case .list(let faces), .array(let faces): faces
            default: []
            }
        return faces.compactMap { face in
            guard case .structure(let face) = face, case .uint(let width) = face.fields["width"] else { return nil }
            return width
        }
    }
}
