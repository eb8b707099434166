// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

/// Stretches video levels (16...235, chroma 16...240) to the full levels (0...255) that JPEG always has by JFIF.
///
/// GStreamer's converter leaves the levels unchanged if only the range differs, and its JPEG encoder ignores the range:
/// black would be dark gray and white light gray in every viewer.
struct RangeExpansion: Sendable {
    /// The layout of luma and chroma in the planes of a format.
    private enum Layout {
        case planar
        case packed(lumaFirst: Bool)
    }

    private let layout: Layout

    /// Accepts the formats that `jpegenc` accepts in YCbCr or gray; `nil` for other formats.
    init?(format: String) {
        switch format {
        case "I420", "YV12", "Y42B", "Y41B", "Y444", "GRAY8", "NV12", "NV21": layout = .planar
        case "YUY2", "YVYU": layout = .packed(lumaFirst: true)
        case "UYVY": layout = .packed(lumaFirst: false)
        default: return nil
        }
    }

    /// Writes all planes of a frame, expanded, into another frame of the same format and size.
    ///
    /// - Throws: ``PipelineError/Code/map`` if a plane cannot be read or written completely; parts of `output` then
    ///   keep their earlier content.
    func apply(from input: borrowing VideoFrame, to output: inout WritableVideoFrame) throws(PipelineError) {
        try input.eachPlane(into: &output) { plane, rows in
            switch layout {
            case .planar: (plane == 0 ? LevelKernel.luma : .chroma).apply(to: rows)
            case .packed(lumaFirst: true): LevelKernel.luma.apply(to: rows, odd: .chroma)
            case .packed(lumaFirst: false): LevelKernel.chroma.apply(to: rows, odd: .luma)
            }
        }
    }
}
