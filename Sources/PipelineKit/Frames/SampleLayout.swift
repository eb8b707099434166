// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The places of a pixel format's samples in the rows of its planes (`GstVideoFormatInfo`).
///
/// They are the same for frames of every size; ``PlaneLayout`` has the strides and offsets of one size.
package struct SampleLayout: Sendable, Hashable {
    /// The places of a component's samples.
    package struct Component: Sendable, Hashable {
        /// The index of the plane.
        package let plane: Int
        /// The bits of a sample. A component of less than whole bytes may share its bytes with others.
        package let depth: Int
        /// Bytes from the start of a row to the first sample.
        package let offset: Int
        /// Bytes from one sample to the next in a row; at least 1.
        package let pixelStride: Int
        /// The number of pixels in a row that share a sample: 1, 2 or 4.
        package let columns: Int
        /// The number of pixels in a column that share a sample: 1, 2 or 4.
        package let rows: Int
    }

    /// `true` for red, green and blue, `false` for luma and its differences from blue and red
    /// (`GST_VIDEO_FORMAT_FLAG_RGB`).
    package let isRGB: Bool
    /// Red, green and blue, or luma and its differences from blue and red; then alpha. Gray has only luma.
    package let components: [Component]
    /// The number of planes.
    package let planeCount: Int

    fileprivate init?(_ source: UnsafePointer<GstVideoFormatInfo>) {
        let info = source.pointee
        let irregular = [
            GST_VIDEO_FORMAT_FLAG_PALETTE, GST_VIDEO_FORMAT_FLAG_TILED, GST_VIDEO_FORMAT_FLAG_COMPLEX,
        ]
        // GStreamer 1.22 lists VYUY with the offsets of UYVY, but converts it in the order of its name.
        guard !irregular.contains(where: info.has), info.format != GST_VIDEO_FORMAT_VYUY else { return nil }
        let components = (0..<Int(info.n_components)).map { Component(info, $0) }
        // Not all formats of packed words have a flag, but none of them has a pixel stride. Encoded video has no
        // components.
        guard !components.isEmpty, components.allSatisfy({ $0.pixelStride > 0 }) else { return nil }
        isRGB = info.has(GST_VIDEO_FORMAT_FLAG_RGB)
        self.components = components
        planeCount = Int(info.n_planes)
    }
}

extension SampleLayout.Component {
    fileprivate init(_ info: GstVideoFormatInfo, _ index: Int) {
        // Swift imports C's arrays as tuples.
        func item<Item>(_ items: (Item, Item, Item, Item)) -> Item { [items.0, items.1, items.2, items.3][index] }
        plane = Int(item(info.plane))
        depth = Int(item(info.depth))
        offset = Int(item(info.poffset))
        pixelStride = Int(item(info.pixel_stride))
        columns = 1 << Int(item(info.w_sub))
        rows = 1 << Int(item(info.h_sub))
    }
}

extension GstVideoFormatInfo {
    fileprivate func has(_ flag: GstVideoFormatFlags) -> Bool { flags.rawValue & flag.rawValue != 0 }
}

extension VideoFormat {
    /// The places of the samples (`gst_video_format_get_info`).
    ///
    /// It is `nil` if samples do not follow one another in rows: for palettes, tiles, and samples that are packed into
    /// words, such as v210. Also `nil` for VYUY, whose offsets in GStreamer are wrong.
    package var sampleLayout: SampleLayout? { SampleLayout(gst_video_format_get_info(native)) }
}
