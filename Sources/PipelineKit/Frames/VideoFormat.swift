// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A pixel format of raw video (`GstVideoFormat`): the common ones by constant, all others by name.
public struct VideoFormat: Sendable, Hashable {
    // A number: GStreamer's tables, which do not change, contain the rest.
    private let number: UInt32

    init(_ native: GstVideoFormat) { number = UInt32(truncatingIfNeeded: native.rawValue) }

    /// Looks up a format by GStreamer's name, such as `I420` (`gst_video_format_from_string`); `nil` if there is no
    /// such format. Upper and lower case differ: `RGBx`.
    public init?(_ name: String) {
        guard !name.utf8.contains(0) else { return nil }
        let native = cgst_video_format_from_string(name)
        guard native != GST_VIDEO_FORMAT_UNKNOWN, native != GST_VIDEO_FORMAT_ENCODED else { return nil }
        self.init(native)
    }

    /// All formats, those of the highest quality first (`gst_video_formats_raw`).
    public static var all: [VideoFormat] {
        var count: guint = 0
        guard let formats = gst_video_formats_raw(&count) else { return [] }
        return (0..<Int(count)).map { VideoFormat(formats[$0]) }
    }

    /// GStreamer's name (`gst_video_format_to_string`).
    public var name: String { String(cString: gst_video_format_to_string(native)) }
    /// `true` if the pixels are luma and two components of chroma.
    public var isYUV: Bool { has(GST_VIDEO_FORMAT_FLAG_YUV) }
    /// `true` if the pixels are red, green and blue.
    public var isRGB: Bool { has(GST_VIDEO_FORMAT_FLAG_RGB) }
    /// `true` if the pixels have no color.
    public var isGray: Bool { has(GST_VIDEO_FORMAT_FLAG_GRAY) }
    /// `true` if the pixels have an opacity.
    public var hasAlpha: Bool { has(GST_VIDEO_FORMAT_FLAG_ALPHA) }
    /// `true` if the pixels are indexes of a palette, which is the second plane.
    public var hasPalette: Bool { has(GST_VIDEO_FORMAT_FLAG_PALETTE) }
    /// `true` if the pixels are stored in tiles, not in rows.
    public var isTiled: Bool { has(GST_VIDEO_FORMAT_FLAG_TILED) }
    /// The number of bits of the first component: luma, red or gray (`GST_VIDEO_FORMAT_INFO_DEPTH`).
    public var depth: Int { Int(info.pointee.depth.0) }
    /// The number of components of a pixel, alpha included (`GST_VIDEO_FORMAT_INFO_N_COMPONENTS`).
    public var componentCount: Int { Int(info.pointee.n_components) }
    /// The number of planes, a palette included (`GST_VIDEO_FORMAT_INFO_N_PLANES`).
    public var planeCount: Int { Int(info.pointee.n_planes) }

    var native: GstVideoFormat { GstVideoFormat(rawValue: .init(number)) }

    private var info: UnsafePointer<GstVideoFormatInfo> { gst_video_format_get_info(native) }

    private func has(_ flag: GstVideoFormatFlags) -> Bool { info.pointee.flags.rawValue & flag.rawValue != 0 }
}

extension VideoFormat: CustomStringConvertible {
    /// GStreamer's name.
    public var description: String { name }
}

extension VideoFormat {
    /// Y, U and V in planes; U and V have half the width and height.
    public static let i420 = VideoFormat(GST_VIDEO_FORMAT_I420)
    /// Y, V and U in planes; V and U have half the width and height.
    public static let yv12 = VideoFormat(GST_VIDEO_FORMAT_YV12)
    /// Y in a plane, U and V together in another with half the width and height.
    public static let nv12 = VideoFormat(GST_VIDEO_FORMAT_NV12)
    /// Y in a plane, V and U together in another with half the width and height.
    public static let nv21 = VideoFormat(GST_VIDEO_FORMAT_NV21)
    /// Y, U and V in planes; U and V have half the width.
    public static let y42b = VideoFormat(GST_VIDEO_FORMAT_Y42B)
    /// Y, U and V in planes of the same size.
    public static let y444 = VideoFormat(GST_VIDEO_FORMAT_Y444)
    /// Packed Y, U, Y, V; U and V have half the width.
    public static let yuy2 = VideoFormat(GST_VIDEO_FORMAT_YUY2)
    /// Packed Y, V, Y, U; V and U have half the width.
    public static let yvyu = VideoFormat(GST_VIDEO_FORMAT_YVYU)
    /// Packed U, Y, V, Y; U and V have half the width.
    public static let uyvy = VideoFormat(GST_VIDEO_FORMAT_UYVY)
    /// 10 bits, packed in words of 32 bits; U and V have half the width.
    public static let v210 = VideoFormat(GST_VIDEO_FORMAT_v210)
    /// 10 bits in 16, low byte first, in the planes of NV12.
    public static let p010LE = VideoFormat(GST_VIDEO_FORMAT_P010_10LE)
    /// 10 bits in 16, low byte first, in the planes of I420.
    public static let i42010LE = VideoFormat(GST_VIDEO_FORMAT_I420_10LE)
    /// Gray of 8 bits.
    public static let gray8 = VideoFormat(GST_VIDEO_FORMAT_GRAY8)
    /// Gray of 16 bits, low byte first.
    public static let gray16LE = VideoFormat(GST_VIDEO_FORMAT_GRAY16_LE)
    /// Gray of 16 bits, high byte first.
    public static let gray16BE = VideoFormat(GST_VIDEO_FORMAT_GRAY16_BE)
    /// Bytes red, green, blue.
    public static let rgb = VideoFormat(GST_VIDEO_FORMAT_RGB)
    /// Bytes blue, green, red.
    public static let bgr = VideoFormat(GST_VIDEO_FORMAT_BGR)
    /// Bytes red, green, blue, unused.
    public static let rgbx = VideoFormat(GST_VIDEO_FORMAT_RGBx)
    /// Bytes blue, green, red, unused.
    public static let bgrx = VideoFormat(GST_VIDEO_FORMAT_BGRx)
    /// Bytes unused, red, green, blue.
    public static let xrgb = VideoFormat(GST_VIDEO_FORMAT_xRGB)
    /// Bytes unused, blue, green, red.
    public static let xbgr = VideoFormat(GST_VIDEO_FORMAT_xBGR)
    /// Bytes red, green, blue, alpha.
    public static let rgba = VideoFormat(GST_VIDEO_FORMAT_RGBA)
    /// Bytes blue, green, red, alpha.
    public static let bgra = VideoFormat(GST_VIDEO_FORMAT_BGRA)
    /// Bytes alpha, red, green, blue.
    public static let argb = VideoFormat(GST_VIDEO_FORMAT_ARGB)
    /// Bytes alpha, blue, green, red.
    public static let abgr = VideoFormat(GST_VIDEO_FORMAT_ABGR)
}
