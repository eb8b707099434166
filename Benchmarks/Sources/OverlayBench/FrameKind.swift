// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The frames of a run: their size and format.
struct FrameKind: Hashable {
    let size: Size
    let format: String

    enum Size: String, CaseIterable {
        case p720 = "720p"
        case p1080 = "1080p"
        case p2160 = "2160p"

        var height: Int {
            switch self {
            case .p720: 720
            case .p1080: 1080
            case .p2160: 2160
            }
        }

        var width: Int { height * 16 / 9 }
    }

    static let formats = ["I420", "NV12", "YUY2", "BGRx"]

    static var all: [FrameKind] {
        Size.allCases.flatMap { size in formats.map { FrameKind(size: size, format: $0) } }
    }

    /// The caps, with the colorimetry of HD, so that no element has to guess.
    var caps: String {
        let color = format == "BGRx" ? "sRGB" : "bt709"
        return "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),framerate=30/1,"
            + "colorimetry=\(color),interlace-mode=progressive,pixel-aspect-ratio=1/1"
    }

    var pixels: Int { size.width * size.height }

    func info() throws -> VideoInfo {
        guard let info = try Caps(caps).videoInfo else { throw BenchError("no frames of \(caps)") }
        return info
    }
}

extension FrameKind: CustomStringConvertible {
    var description: String { "\(size.rawValue) \(format)" }
}

/// The reason why a measurement is impossible.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
