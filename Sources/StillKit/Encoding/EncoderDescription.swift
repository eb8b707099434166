// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The elements that encode a frame as a still, in gst-launch syntax; empty if the frame already is the still.
///
/// It contains only necessary elements: for a JPEG still, a JPEG frame needs none, and its orientation tag turns it.
package struct EncoderDescription: Sendable, Hashable {
    /// The elements in order.
    let elements: [String]
    /// The orientation for the tag of the still; upright if elements turn the pixels.
    let remainingOrientation: Orientation
    /// `true` if the video levels of the frame must be expanded before JPEG, which has full range only.
    let expandsRange: Bool

    /// `true` if the frames need no other element than the encoder of JPEG, so that ``JPEGWriter`` can encode them.
    var isPlainJPEG: Bool { elements.count == 1 && elements[0].hasPrefix("jpegenc ") }

    /// The whole pipeline.
    var text: String { Self.text(of: elements) }

    /// Returns the pipeline of these elements between its source and its sink.
    static func text(of elements: [String]) -> String {
        (["appsrc name=in"] + elements + ["appsink name=out sync=false"]).joined(separator: " ! ")
    }

    /// Describes how to convert frames of `caps` to stills.
    ///
    /// - Parameter isDrawable: Returns `true` for pixel formats that can be drawn on: raw frames of other formats are
    ///   converted. `nil` converts none.
    /// - Throws: ``CaptureError`` if the frames are neither raw video nor JPEG, or too large for the format.
    init(
        from caps: Caps, to format: StillFormat, quality: Int, orientation: Orientation,
        isDrawable: ((String) -> Bool)? = nil
    ) throws(CaptureError) {
        let media = caps.structures.first?.name ?? "nothing"
        guard media == "image/jpeg" || caps.videoInfo != nil else {
            throw CaptureError(
                .configuration, "the source delivers \(media), which is neither raw video nor JPEG",
                advice: "decode it, for instance with --decode auto")
        }
        if let info = caps.videoInfo { try Self.check(info, fits: format) }
        if media == "image/jpeg", format == .jpeg {
            self.init([], orientation, expandsRange: false)
            return
        }
        var elements = media == "image/jpeg" ? ["jpegdec"] : []
        if orientation != .upright {
            if let format = caps.videoInfo?.format, !Self.turnable.contains(format) { elements.append("videoconvert") }
            elements.append("videoflip video-direction=\(orientation.videoDirection)")
        }
        // An earlier `videoconvert` may have chosen any format.
        if let isDrawable, let info = caps.videoInfo, elements.count > 1 || !isDrawable(info.format) {
            elements += ["videoconvert", Self.drawable]
        }
        let color = caps.videoInfo.map { Self.color(for: format, $0) }
        elements += color?.elements ?? (format == .raw ? [] : ["videoconvert"])
        elements += Self.encoder(format, quality)
        self.init(elements, .upright, expandsRange: color?.expandsRange ?? false)
    }

    /// Describes how to convert a raw frame to upright RGBA pixels.
    package init(toPixels orientation: Orientation) {
        let turn = orientation == .upright ? [] : ["videoflip video-direction=\(orientation.videoDirection)"]
        self.init(["videoconvert", "video/x-raw,format=RGBA"] + turn, .upright, expandsRange: false)
    }

    /// Checks the encoder's limit for width and height: libjpeg ends the process if a picture exceeds it.
    private static func check(_ info: VideoInfo, fits format: StillFormat) throws(CaptureError) {
        let most =
            switch format {
            case .jpeg: 65500
            case .webp: 16383
            case .png: 1_000_000
            case .raw: Int.max
            }
        guard max(info.width, info.height) > most else { return }
        throw CaptureError(
            .configuration, "\(info.width)x\(info.height) is larger than \(format.rawValue) allows: \(most) on a side",
            advice: "request a smaller size with --width and --height, or use -e raw")
    }

    private init(_ elements: [String], _ orientation: Orientation, expandsRange: Bool) {
        self.elements = elements
        remainingOrientation = orientation
        self.expandsRange = expandsRange
    }

    private static func encoder(_ format: StillFormat, _ quality: Int) -> [String] {
        switch format {
        case .jpeg: ["jpegenc quality=\(quality)"]
        case .png: ["pngenc compression-level=6"]
        case .webp: ["webpenc quality=\(quality)"]
        case .raw: []
        }
    }

    /// Returns the elements that convert color to the form that the encoder expects.
    private static func color(for format: StillFormat, _ info: VideoInfo) -> (elements: [String], expandsRange: Bool) {
        let isVideo601 = info.hasBT601Matrix && !info.isFullRange
        switch format {
        case .raw: return ([], false)
        case .png: return (["videoconvert"] + (isVideo601 && info.format.hasPrefix("GRAY") ? [rgb] : []), false)
        // The encoder treats any YCbCr as BT.601 with video levels, which WebP always has.
        case .webp: return (["videoconvert"] + (isVideo601 ? [] : [rgb]), false)
        case .jpeg: break
        }
        let isJFIF = info.isFullRange && info.hasBT601Matrix
        if encodable.contains(info.format), isJFIF || info.format == "GRAY8" && info.isFullRange {
            return ([], false)
        }
        if encodable.contains(info.format), info.hasBT601Matrix, RangeExpansion(format: info.format) != nil {
            return ([], true)
        }
        // Another matrix, or a format that the encoder does not accept, needs the converter. With the same matrix, it
        // would leave video levels unchanged, so that conversion goes through RGB. RGB is converted, too: the encoder
        // would store it unchanged, which JFIF and EXIF do not provide for.
        let jfif = ["videoconvert", "video/x-raw,format=I420,colorimetry=1:4:0:0"]
        return ((isVideo601 ? ["videoconvert", rgb] : []) + jfif, false)
    }

    private static let rgb = "video/x-raw,format=(string){RGB,RGBA}"

    /// The formats to which a frame is converted if layers cannot be drawn on its format. Each format converts well to
    /// one of them. `OverlayPlan.takes(format:)` of OverlayCompositor knows all formats that can be drawn on.
    private static let drawable = "video/x-raw,format=(string){I420,Y42B,Y444,YUY2,GRAY8,RGB,RGBA}"

    /// The camera formats that `videoflip` accepts; others are converted for it.
    private static let turnable: Set = [
        "I420", "YV12", "YUY2", "UYVY", "YVYU", "NV12", "NV21", "Y444", "GRAY8", "GRAY16_LE", "GRAY16_BE", "RGB", "BGR",
        "RGBx", "xRGB", "BGRx", "xBGR", "RGBA", "ARGB", "BGRA", "ABGR",
    ]

    private static let encodable: Set = [
        "I420", "YV12", "YUY2", "UYVY", "Y41B", "Y42B", "YVYU", "Y444", "NV21", "NV12", "GRAY8",
    ]
}
