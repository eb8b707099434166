// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What has to be known to read raw pixels: the side file of a `.raw` still, as JSON.
struct RawDescription {
    private let caps: Caps
    private let info: VideoInfo?
    private let captured: WallTime

    init(_ encoded: StillEncoder.Encoded, _ captured: WallTime) {
        (caps, info, self.captured) = (encoded.caps, encoded.info, captured)
    }

    /// One JSON object.
    var text: String {
        var fields = [
            "\"caps\": \(quoted(caps.description))", "\"captured\": \(quoted(captured.exifDate + captured.exifOffset))",
        ]
        if let info {
            fields += ["\"format\": \(quoted(info.format))", "\"width\": \(info.width)", "\"height\": \(info.height)"]
            fields.append("\"colorimetry\": \(info.colorimetry.map(quoted) ?? "null")")
            let planes = (0..<info.planeCount).compactMap(info.plane).map {
                "{\"offset\": \($0.offset), \"stride\": \($0.stride), \"rows\": \($0.rows)}"
            }
            fields.append("\"planes\": [\(planes.joined(separator: ", "))]")
        }
        return "{\n  " + fields.joined(separator: ",\n  ") + "\n}\n"
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) } + "\""
    }
}
