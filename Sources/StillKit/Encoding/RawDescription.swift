// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The side file of a `.raw` still, as JSON: the facts that a reader needs to interpret its pixels.
package struct RawDescription {
    private let caps: Caps
    private let info: VideoInfo?
    private let captured: WallTime

    package init(_ encoded: StillEncoder.Encoded, _ captured: WallTime) {
        (caps, info, self.captured) = (encoded.caps, encoded.info, captured)
    }

    /// The text of the file: one JSON object.
    package var text: String {
        JSONValue.object([
            "caps": .string(caps.description), "captured": .string(captured.exifDate + captured.exifOffset),
            "format": info.map { .string($0.format) }, "width": info.map { .integer($0.width) },
            "height": info.map { .integer($0.height) }, "colorimetry": info.map { .optional($0.colorimetry) },
            "planes": info.map(planes),
        ]).fileText
    }

    private func planes(_ info: VideoInfo) -> JSONValue {
        .array(
            (0..<info.planeCount).compactMap(info.plane).map {
                .object(["offset": .integer($0.offset), "stride": .integer($0.stride), "rows": .integer($0.rows)])
            })
    }
}
