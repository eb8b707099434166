// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The format that a plan is made for: format, size and color of the frames, and their visible part.
struct PlanFormat: Sendable, Equatable {
    let info: VideoInfo
    let visible: CropRectangle
    let planes: [PlanePattern]
    let coding: ColorCoding

    /// Creates the format for frames and their crop.
    ///
    /// - Throws: ``OverlayError/Code/format`` if overlays cannot be drawn on such frames.
    init(_ info: VideoInfo, crop: CropRectangle? = nil) throws(OverlayError) {
        guard let planes = info.videoFormat.sampleLayout.flatMap(PlanePattern.planes) else {
            throw OverlayError(
                .format, "overlays cannot be drawn on frames of \(info.format)",
                advice: "convert them, for instance with videoconvert")
        }
        // In NV24 the plane of chroma has the longer rows.
        let longest = planes.indices.map { info.plane($0).map { max($0.rows, $0.rowBytes) } ?? 0 }.max() ?? 0
        guard 1...BlendPlace.limit ~= longest else {
            throw OverlayError(.format, "frames of \(info.width)x\(info.height) are too large for an overlay")
        }
        self.info = info
        self.planes = planes
        coding = ColorCoding(info)
        let whole = CropRectangle(x: 0, y: 0, width: info.width, height: info.height)
        visible = crop.flatMap { Self.part(of: whole, $0) } ?? whole
    }

    /// Returns the part of a crop that lies on the frame; `nil` if there is none. Elements and programs can attach any
    /// numbers.
    private static func part(of frame: CropRectangle, _ crop: CropRectangle) -> CropRectangle? {
        let columns = Range(from: crop.x, count: crop.width, limit: frame.width)
        let rows = Range(from: crop.y, count: crop.height, limit: frame.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        return CropRectangle(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
}

extension Range<Int> {
    /// Creates the range of integers from `start` to `start + count` that are in 0..<`limit`. Sums that overflow are
    /// clamped.
    init(from start: Int, count: Int, limit: Int) {
        let (end, isTooFar) = start.addingReportingOverflow(Swift.max(0, count))
        let (lower, upper) = (Swift.max(0, start), Swift.min(limit, isTooFar ? .max : end))
        self = lower < upper ? lower..<upper : 0..<0
    }
}
