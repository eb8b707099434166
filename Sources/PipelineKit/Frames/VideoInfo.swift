// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The format of raw video: size, pixel format, rate, color, and the layout of its planes (`GstVideoInfo`).
///
/// Read it again from every caps event: a camera or a scaler may change the format in the middle of a stream.
public struct VideoInfo: @unchecked Sendable {
    // @unchecked: the only pointers in the struct lead to GStreamer's static format tables.
    var raw: GstVideoInfo

    /// Reads fixed caps of `video/x-raw` (`gst_video_info_from_caps`); `nil` for all other caps.
    public init?(_ caps: Caps) {
        var info = GstVideoInfo()
        guard caps.isFixed, gst_video_info_from_caps(&info, caps.pointer) != 0, info.finfo != nil,
            info.finfo.pointee.format != GST_VIDEO_FORMAT_ENCODED, info.width > 0, info.height > 0
        else { return nil }
        raw = info
    }

    /// Creates a format of a size, with GStreamer's default strides and color (`gst_video_info_set_format`).
    ///
    /// - Parameters:
    ///   - format: GStreamer's name of the pixel format, such as `I420`.
    ///   - width: In pixels.
    ///   - height: In pixels.
    /// - Throws: ``PipelineError/Code/syntax`` for an unknown format or an impossible size.
    public init(format: String, width: Int, height: Int) throws(PipelineError) {
        guard let known = VideoFormat(format) else { throw .noVideoFormat(format, width, height) }
        try self.init(format: known, width: width, height: height)
    }

    /// Creates a format of a size, with GStreamer's default strides and color (`gst_video_info_set_format`).
    ///
    /// - Parameters:
    ///   - format: The pixel format.
    ///   - width: In pixels.
    ///   - height: In pixels.
    /// - Throws: ``PipelineError/Code/syntax`` for an impossible size.
    public init(format: VideoFormat, width: Int, height: Int) throws(PipelineError) {
        try GStreamer.initialize()
        var info = GstVideoInfo()
        guard width > 0, height > 0, let columns = guint(exactly: width), let rows = guint(exactly: height),
            gst_video_info_set_format(&info, format.native, columns, rows) != 0
        else { throw .noVideoFormat(format.name, width, height) }
        raw = info
    }

    /// Returns the same format, color and rate in another size, with default strides and square pixels.
    ///
    /// - Throws: ``PipelineError/Code/syntax`` for an impossible size.
    public func resized(width: Int, height: Int) throws(PipelineError) -> VideoInfo {
        var info = try VideoInfo(format: videoFormat, width: width, height: height)
        info.raw.colorimetry = raw.colorimetry
        info.raw.chroma_site = raw.chroma_site
        info.raw.interlace_mode = raw.interlace_mode
        (info.raw.fps_n, info.raw.fps_d) = (raw.fps_n, raw.fps_d)
        return info
    }

    /// The number of pixels in a row.
    public var width: Int { Int(raw.width) }
    /// The number of rows.
    public var height: Int { Int(raw.height) }
    /// GStreamer's name of the pixel format, such as `I420`.
    public var format: String { videoFormat.name }
    /// The pixel format.
    public var videoFormat: VideoFormat { VideoFormat(raw.finfo.pointee.format) }
    /// Frames per second; 0/1 if the rate varies.
    public var frameRate: Fraction { Fraction(raw.fps_n, raw.fps_d) }
    /// The width of a pixel divided by its height; 1/1 for square pixels.
    public var pixelAspectRatio: Fraction { Fraction(raw.par_n, raw.par_d) }
    /// The number of pixels that share a sample of chroma, in a row and in a column (`GST_VIDEO_FORMAT_INFO_W_SUB`); 1
    /// and 1 for RGB.
    public var chromaSubsampling: (columns: Int, rows: Int) {
        let format = raw.finfo.pointee
        return (1 << Int(format.w_sub.1), 1 << Int(format.h_sub.1))
    }
    /// The number of bytes of a frame with the default strides.
    public var byteCount: Int { Int(raw.size) }
    /// The color encoding in GStreamer's notation, such as `bt601` or `1:4:5:1`; `nil` if it is unknown
    /// (`gst_video_colorimetry_to_string`).
    public var colorimetry: String? {
        var colorimetry = raw.colorimetry
        return gst_video_colorimetry_to_string(&colorimetry).map { String(consuming: $0) }
    }
    /// `true` if luma and chroma use BT.601's matrix, as in JFIF.
    public var hasBT601Matrix: Bool { raw.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT601 }

    /// The weights of red and of blue in luma (`gst_video_color_matrix_get_Kr_Kb`); `nil` if the frames are RGB, or
    /// their matrix is unknown.
    public var lumaCoefficients: (red: Double, blue: Double)? {
        var (red, blue) = (0.0, 0.0)
        guard gst_video_color_matrix_get_Kr_Kb(raw.colorimetry.matrix, &red, &blue) != 0 else { return nil }
        return (red, blue)
    }

    /// `true` if samples use all code values (0...255); `false` if they leave headroom and footroom (16...235).
    public var isFullRange: Bool { raw.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 }
    /// The number of planes (`GST_VIDEO_INFO_N_PLANES`).
    public var planeCount: Int { Int(withUnsafePointer(to: raw) { cgst_info_planes($0) }) }
    /// The layout of a plane with the default strides, or with those of the buffer in ``VideoFrame/info``; `nil` if
    /// there is no such plane, or it has no rows: a palette, or tiles.
    public func plane(_ index: Int) -> PlaneLayout? {
        withUnsafePointer(to: raw) { PlaneLayout(of: index, in: $0) }
    }
    /// The format as caps (`gst_video_info_to_caps`).
    public var caps: Caps {
        var info = raw
        return Caps(gst_video_info_to_caps(&info), .full)
    }
}

extension VideoInfo: Equatable {
    /// `true` if frames of both have the same format and memory layout (`gst_video_info_is_equal`).
    public static func == (left: VideoInfo, right: VideoInfo) -> Bool {
        var (left, right) = (left.raw, right.raw)
        return gst_video_info_is_equal(&left, &right) != 0
    }
}

extension PipelineError {
    fileprivate static func noVideoFormat(_ format: String, _ width: Int, _ height: Int) -> PipelineError {
        PipelineError(.syntax, "not a video format: \(format) at \(width)x\(height)")
    }
}
