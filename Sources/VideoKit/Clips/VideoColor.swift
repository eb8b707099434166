// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The meaning of color values, by the code points of ISO/IEC 23091-2 (ITU-T H.273). Decoders that are not told assume
/// those of high-definition television, and webcams have others.
package struct VideoColor: Sendable, Hashable {
    /// The color primaries, the transfer characteristics and the matrix; 2 if unknown.
    package let primaries: UInt16, transfer: UInt16, matrix: UInt16
    /// `true` if values have full levels, from 0 to 255.
    package let isFullRange: Bool

    /// The colors of JPEG files, which have the primaries and transfer of sRGB and the matrix of BT.601, with the levels of
    /// video.
    package static let ofPictures = VideoColor(colorimetry: "2:4:7:1")

    /// Reads a colorimetry of GStreamer's caps, such as `bt709` or `2:4:7:1`.
    ///
    /// - Returns: `nil` if the text is none, or names no matrix of YUV.
    init?(colorimetry text: String) {
        var values = GstVideoColorimetry()
        guard gst_video_colorimetry_from_string(&values, text) != 0,
            values.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN, values.matrix != GST_VIDEO_COLOR_MATRIX_RGB
        else { return nil }
        primaries = UInt16(clamping: gst_video_color_primaries_to_iso(values.primaries))
        transfer = UInt16(clamping: gst_video_transfer_function_to_iso(values.transfer))
        matrix = UInt16(clamping: gst_video_color_matrix_to_iso(values.matrix))
        isFullRange = values.range == GST_VIDEO_COLOR_RANGE_0_255
    }

    /// Writes the color information (ISO/IEC 14496-12, 12.1.5).
    func write(to writer: inout BoxWriter) {
        writer.box("colr") { writer in
            writer.put("nclx" as FourCC)
            for value in [primaries, transfer, matrix] { writer.put(value) }
            writer.put(isFullRange ? 0x80 : 0 as UInt8)
        }
    }
}
