// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The layout of a plane's samples in memory.
public struct PlaneLayout: Sendable, Hashable {
    /// Bytes from the start of the frame to the first row.
    public let offset: Int
    /// Bytes from one row to the next, padding included.
    public let stride: Int
    /// Bytes of pixels in a row, without padding.
    public let rowBytes: Int
    /// The number of rows.
    public let rows: Int
}

extension PlaneLayout {
    /// Bytes from the start of the first row to the end of the last, which may lack its padding.
    var span: Int { stride * (rows - 1) + rowBytes }

    /// `nil` if there is no such plane, or it has no rows.
    init?(of index: Int, in info: UnsafePointer<GstVideoInfo>) {
        guard index >= 0, index < Int(cgst_info_planes(info)) else { return nil }
        let plane = guint(index)
        let (rows, stride) = (Int(cgst_info_plane_rows(info, plane)), Int(cgst_info_plane_stride(info, plane)))
        guard rows > 0, stride > 0 else { return nil }
        self.init(
            offset: Int(cgst_info_plane_offset(info, plane)), stride: stride,
            rowBytes: min(Int(cgst_info_plane_row_bytes(info, plane)), stride), rows: rows)
    }
}
