// Part of gst-capture. Apache License 2.0, see LICENSE.

extension FourCC {
    /// The format in GStreamer's terms, as `v4l2src` names it; `nil` if it has no name for the format.
    ///
    /// V4L2's codes such as `AR24` give the order in a little-endian word, GStreamer's names the order in memory:
    /// `AR24` is BGRA, and `BA24` is ARGB. V4L2's macros follow no common rule: `AR24` is ABGR32, and `BA24` is ARGB32.
    public var media: MediaType? { Self.medias[self] }

    private static let medias: [FourCC: MediaType] = {
        var medias: [FourCC: MediaType] = [:]
        for (format, names) in rawNames { for name in names { medias[FourCC(name)] = .raw(format) } }
        for (name, format) in bayerNames { medias[FourCC(name)] = .bayer(format) }
        for (media, names) in compressedNames { for name in names { medias[FourCC(name)] = MediaType(media) } }
        return medias
    }()

    /// GStreamer's pixel formats with V4L2's codes: for one buffer, and for a buffer per plane (such as `NM12`).
    private static let rawNames: [(String, [String])] = [
        ("GRAY8", ["GREY"]), ("GRAY16_LE", ["Y16 "]), ("GRAY16_BE", ["Y16 -BE"]),
        ("RGB15", ["RGBO", "XR15"]), ("BGR15", ["RGBQ", "XR15-BE"]), ("RGB16", ["RGBP"]),
        ("RGB", ["RGB3"]), ("BGR", ["BGR3"]),
        ("xRGB", ["RGB4", "BX24"]), ("ARGB", ["BA24"]), ("RGBx", ["XB24"]), ("RGBA", ["AB24"]),
        ("BGRx", ["BGR4", "XR24"]), ("BGRA", ["AR24"]), ("xBGR", ["RX24"]), ("ABGR", ["RA24"]),
        ("YUY2", ["YUYV"]), ("UYVY", ["UYVY"]), ("YVYU", ["YVYU"]),
        ("NV12", ["NV12", "NM12"]), ("NV21", ["NV21", "NM21"]), ("NV16", ["NV16", "NM16"]), ("NV61", ["NV61", "NM61"]),
        ("NV24", ["NV24"]), ("NV12_64Z32", ["TM12"]),
        ("I420", ["YU12", "YM12"]), ("YV12", ["YV12"]), ("Y42B", ["422P"]), ("Y41B", ["411P"]),
        ("YUV9", ["YUV9"]), ("YVU9", ["YVU9"]),
    ]

    private static let bayerNames = [("BA81", "bggr"), ("GBRG", "gbrg"), ("GRBG", "grbg"), ("RGGB", "rggb")]

    private static let compressedNames: [(String, [String])] = [
        ("image/jpeg", ["MJPG", "JPEG", "PJPG"]),
        ("video/x-h264", ["H264", "AVC1"]), ("video/x-h265", ["HEVC"]),
        ("video/x-vp8", ["VP80"]), ("video/x-vp9", ["VP90"]), ("video/x-h263", ["H263"]),
        ("video/mpeg", ["MPG1", "MPG2", "MPG4", "XVID"]), ("video/mpegts", ["MPEG"]), ("video/x-dv", ["dvsd"]),
        ("video/x-fwht", ["FWHT"]), ("video/x-wmv", ["VC1G", "VC1L"]),
        ("video/x-sonix", ["S910"]), ("video/x-pwc1", ["PWC1"]), ("video/x-pwc2", ["PWC2"]),
    ]
}
