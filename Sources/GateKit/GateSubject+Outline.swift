// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import FrameMeasures
import OverlayCompositor
import PresetKit

extension GateSubject {
    /// Reads the subject from an outline's file, and its boundary from the outline as the preview draws it.
    ///
    /// - Parameter size: The size of the preview, in pixels.
    /// - Throws: ``CaptureError`` if the outline cannot be read or drawn, or names an unknown subject.
    package init(
        of outline: Outline, _ placement: Placement, on size: PreviewSize, by planner: OverlayPlanner
    ) async throws(CaptureError) {
        let declared = try await Self.presence(of: outline)
        // Gates see at most 160 pixels in a row (`LumaFrame.widest`): more than 640 add no precision.
        let scale = min(1, Self.width / Double(max(size.width, size.height)))
        let mask: RasterImage
        do throws(OverlayError) {
            mask = try await planner.shape(of: outline, placement, onFrame: (size.width, size.height), scale: scale)
        } catch {
            throw CaptureError(error)
        }
        let corners = Polyline.simplified(closed: MaskContour(mask).corners, within: 1)
        boundary = corners.map { PixelPoint($0.x / scale / Double(size.width), $0.y / scale / Double(size.height)) }
        presence = declared ?? (mask.isRectangle ? .edges : .nothing)
    }

    /// The longer side of the frame on which the outline is drawn, in pixels.
    private static let width = 640.0

    private static let mostBytes = 4 << 20

    private static func presence(of outline: Outline) async throws(CaptureError) -> OutlinePresence? {
        let path = outline.path
        let svg = try await BlockingWork.run { () throws(CaptureError) in try RegularFile.read(path, most: mostBytes) }
        do throws(InvalidValue) {
            return try OutlinePresence.read(svg)
        } catch {
            throw CaptureError(
                .configuration, "\(OutlinePresence.attribute): \(error.message)", subject: path, advice: error.advice)
        }
    }
}

extension RasterImage {
    /// `true` for a shape that leaves little of its bounding box free, such as a rectangle with round corners.
    fileprivate var isRectangle: Bool {
        let covered = pixels.count { $0 >> 24 >= 128 }
        return covered > 0 && Double(covered) >= 0.95 * Double(width * height)
    }
}
