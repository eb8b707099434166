// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import FrameMeasures
import PipelineKit

/// Judges whether a face is in place and large enough, from the messages of GStreamer's `facedetect` on the bus.
///
/// The score is the width of the largest face in the box, as a part of the expected width. A face that is too large
/// scores below `least`. Pure: it does not detect faces itself.
struct FaceGate: Sendable {
    /// The element that detects faces.
    static let element = "facedetect"
    /// The usual least width of a face, as a part of the expected width.
    static let least = 0.6
    /// The expected width of a face without an outline, as a part of the picture's width.
    static let usualWidth = 0.25

    private let expected: Double
    private let box: PixelBox
    private let least: Double
    private let most: Double
    private let isAlone: Bool
    private var hysteresis: Hysteresis

    /// The number of frames in a row with a face before the gate passes.
    static let settling = 3

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - expected: The expected width of a face, as a part of the picture's width.
    ///   - box: The box in which the face's center must lie, in parts of the picture's width and height.
    ///   - least: The least part of the expected width.
    ///   - most: The largest part of the expected width: the border cuts off a face that fills the picture.
    ///   - isAlone: `true` to reject a picture with a second face, also outside of the box.
    ///   - settling: The number of frames in a row with a face before the gate passes: 1 for a single picture.
    init(
        expecting expected: Double = Self.usualWidth, in box: PixelBox = PixelBox(x: 0, y: 0, width: 1, height: 1),
        least: Double = Self.least, most: Double = GateRequest.usualLargest, alone isAlone: Bool = false,
        settling: Int = Self.settling
    ) {
        (self.expected, self.box, self.least, self.most) = (expected, box, least, max(most, least))
        self.isAlone = isAlone
        hysteresis = Hysteresis(false, framesToFail: 5, framesToPass: settling)
    }

    /// The width of another face, as a part of the largest one's, from which it counts as a second face.
    private static let second = 0.5

    /// Handles a message of the element, one a frame; returns `nil` for other messages.
    ///
    /// - Parameter size: The size of the picture that was searched for faces, in pixels.
    mutating func add(_ message: Structure, size: PreviewSize) -> GateVerdict? {
        guard message.name == Self.element, size.width > 0, size.height > 0, expected > 0 else { return nil }
        let faces = Self.faces(in: message)
        let largest = faces.filter { isInPlace($0.center, size) }.map(\.width).max() ?? 0
        let hasCompany = isAlone && largest > 0 && faces.count { $0.width >= largest * Self.second } > 1
        let part = min(largest / Double(size.width), 1) / expected
        let isTooLarge = part > most
        // A face that is too large scores below `least` by the ratio by which its width exceeds `most`.
        let score = isTooLarge ? least * most / part * 0.99 : part
        let passes = hysteresis.add(score >= least && !hasCompany)
        let hint: GateHint =
            largest == 0 ? .faceTheCamera : hasCompany ? .onlyOneFace : isTooLarge ? .fartherAway : .closer
        return GateVerdict(gate: .face, score: score, threshold: least, passes: passes, hint: hint)
    }

    private func isInPlace(_ place: PixelPoint, _ size: PreviewSize) -> Bool {
        let (x, y) = (place.x / Double(size.width), place.y / Double(size.height))
        return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height
    }

    private static func faces(in message: Structure) -> [PixelBox] {
        let faces: [Value] =
            switch message.fields["faces"] {
            case .list(let faces), .array(let faces): faces
            default: []
            }
        return faces.compactMap { face in
            guard case .structure(let face) = face else { return nil }
            func field(_ name: String) -> Double? {
                guard case .uint(let pixels) = face.fields[name] else { return nil }
                return Double(pixels)
            }
            guard let x = field("x"), let y = field("y"), let width = field("width"), let height = field("height")
            else { return nil }
            return PixelBox(x: x, y: y, width: width, height: height)
        }
    }
}
