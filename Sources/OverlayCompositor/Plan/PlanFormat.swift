// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a plan is made for: format, size and colour of the frames, and the part of them that is to be seen.
struct PlanFormat: Sendable, Equatable {
    let info: VideoInfo
    let visible: CropRectangle
    let planes: [PlanePattern]
    let coding: ColorCoding

    /// Takes a format.
    ///
    /// - Throws: ``OverlayError/Code/format`` where it is none that can be drawn on.
    init(_ info: VideoInfo, crop: CropRectangle? = nil) throws(OverlayError) {
        guard let planes = PlanePattern.planes(of: info.format) else {
            throw OverlayError(
                .format, "overlays cannot be drawn on frames of \(info.format)",
                advice: "convert them, for instance with videoconvert")
        }
        let rows = info.plane(0).map { max($0.rows, $0.rowBytes) } ?? 0
        guard 1...BlendPlace.limit ~= rows else {
            throw OverlayError(.format, "frames of \(info.width)x\(info.height) are too large for an overlay")
        }
        self.info = info
        self.planes = planes
        coding = ColorCoding(info)
        visible = crop ?? CropRectangle(x: 0, y: 0, width: info.width, height: info.height)
    }
}
