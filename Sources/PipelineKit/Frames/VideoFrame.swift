// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A video frame that is mapped for reading, and lent for the duration of a closure (`GstVideoFrame`).
public struct VideoFrame: ~Copyable {
    fileprivate var frame = GstVideoFrame()

    /// Maps a buffer. The end of the frame's lifetime unmaps it.
    init(mapping buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo) throws(PipelineError) {
        try self.init(mapping: buffer, info, GST_MAP_READ)
    }

    fileprivate init(
        mapping buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo, _ access: GstMapFlags
    ) throws(PipelineError) {
        var raw = info.raw
        guard Self.map(&frame, buffer, &raw, access) else {
            throw PipelineError(.map, "a buffer cannot be mapped as a frame of \(info.caps)")
        }
    }

    /// `nil` if the buffer cannot be mapped as a frame of this format. An error would allocate memory for its text.
    fileprivate init?(
        mappingIfPossible buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo, _ access: GstMapFlags
    ) {
        var raw = info.raw
        guard Self.map(&frame, buffer, &raw, access) else { return nil }
    }

    private static func map(
        _ frame: inout GstVideoFrame, _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: inout GstVideoInfo,
        _ access: GstMapFlags
    ) -> Bool {
        cgst_buffer_fits(buffer, &info) != 0 && gst_video_frame_map(&frame, &info, buffer, access) != 0
    }

    deinit {
        var mapped = frame
        gst_video_frame_unmap(&mapped)
    }

    /// The format of the frame in memory, with the strides and offsets of its buffer.
    public var info: VideoInfo { VideoInfo(mapped: frame.info) }

    /// The number of planes (`GST_VIDEO_FRAME_N_PLANES`).
    public var planeCount: Int { Int(withUnsafePointer(to: frame.info) { cgst_info_planes($0) }) }

    /// Lends a plane: all its rows, with padding between them (`GST_VIDEO_FRAME_PLANE_DATA`).
    ///
    /// Call this once per frame, not once per row or pixel.
    ///
    /// - Returns: The result of `body`; `nil` if there is no such plane, it has no rows (a palette, or tiles), or the
    ///   mapped memory does not contain all its rows.
    public func withPlane<Result>(
        _ index: Int, _ body: (_ bytes: RawSpan, _ layout: PlaneLayout) throws -> Result
    ) rethrows -> Result? {
        guard let plane = mapped(index) else { return nil }
        return try body(UnsafeRawBufferPointer(plane.bytes).bytes, plane.layout)
    }

    /// A plane's memory, and its layout with the strides of the mapped frame.
    fileprivate func mapped(_ index: Int) -> (bytes: UnsafeMutableRawBufferPointer, layout: PlaneLayout)? {
        withUnsafePointer(to: frame) { frame in
            guard let info = frame.pointer(to: \.info), let layout = PlaneLayout(of: index, in: info), layout.span > 0,
                let start = cgst_frame_plane_data(frame, guint(index)),
                layout.span <= Int(clamping: cgst_frame_plane_room(frame, guint(index)))
            else { return nil }
            return (UnsafeMutableRawBufferPointer(start: start, count: layout.span), layout)
        }
    }

    /// `true` if the mapped memory contains all rows of every plane. GStreamer maps a plane with its own layout
    /// (`GstVideoMeta`) even if the memory contains only the first byte of it.
    fileprivate var hasAllRows: Bool {
        let info = info
        return (0..<planeCount).allSatisfy { info.plane($0) == nil || mapped($0) != nil }
    }
}

/// A video frame that is mapped for reading and writing, and lent for the duration of a closure.
public struct WritableVideoFrame: ~Copyable {
    private var frame: VideoFrame

    /// Maps a buffer that has no other holder. The end of the frame's lifetime unmaps it.
    init(mapping buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo) throws(PipelineError) {
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        frame = try VideoFrame(mapping: buffer, info, access)
    }

    /// `nil` if the buffer cannot be mapped as a frame of this format.
    init?(mappingIfPossible buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo) {
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard let mapped = VideoFrame(mappingIfPossible: buffer, info, access) else { return nil }
        frame = mapped
    }

    /// The format of the frame in memory.
    public var info: VideoInfo { frame.info }

    /// The number of planes.
    public var planeCount: Int { frame.planeCount }

    /// Lends a plane for writing: all its rows, with padding between them. Call this once per frame, not once per row
    /// or pixel.
    ///
    /// - Returns: The result of `body`; `nil` as in ``VideoFrame/withPlane(_:_:)``.
    public mutating func withPlane<Result>(
        _ index: Int, _ body: (_ bytes: inout MutableRawSpan, _ layout: PlaneLayout) throws -> Result
    ) rethrows -> Result? {
        guard let plane = frame.mapped(index) else { return nil }
        var span = plane.bytes.mutableBytes
        return try body(&span, plane.layout)
    }
}

extension WritableVideoFrame {
    /// Copies another frame of the same format and size into this one (`gst_video_frame_copy`).
    ///
    /// - Throws: ``PipelineError/Code/map`` if the formats or sizes differ, or the memory of a frame lacks rows; this
    ///   frame is then unchanged.
    public mutating func copy(_ other: borrowing VideoFrame) throws(PipelineError) {
        // gst_video_frame_copy treats another format as a programming error, and copies only a part of a larger frame.
        guard other.frame.hasLayout(of: frame.frame) else {
            throw PipelineError(.map, "a frame of \(other.info.caps) cannot be copied into one of \(info.caps)")
        }
        try checkRows(other)
        let isCopied = withUnsafePointer(to: other.frame) { source in
            withUnsafeMutablePointer(to: &frame.frame) { gst_video_frame_copy($0, source) }
        }
        guard isCopied != 0 else { throw PipelineError(.map, "frames of different formats cannot be copied") }
    }

    /// Fills this frame with another one, scaled to its size and converted to its format (`gst_video_converter_frame`).
    ///
    /// Each call prepares the conversion between the two formats, which takes milliseconds. For streams, use elements.
    ///
    /// - Throws: ``PipelineError/Code/map`` if GStreamer cannot convert one format to the other, if the interlace modes
    ///   differ, or if the memory of a frame lacks rows.
    public mutating func fill(with other: borrowing VideoFrame) throws(PipelineError) {
        try fill(with: other, nil)
    }

    /// Fills a part of this frame with a part of another one, as ``fill(with:)`` does. The rest stays as it is.
    ///
    /// - Parameters:
    ///   - source: The part of the other frame, which must be inside of it.
    ///   - place: The part of this frame, which must be inside of it.
    package mutating func fill(
        with other: borrowing VideoFrame, from source: CropRectangle, into place: CropRectangle
    ) throws(PipelineError) {
        let numbers = [
            "src-x": source.x, "src-y": source.y, "src-width": source.width, "src-height": source.height,
            "dest-x": place.x, "dest-y": place.y, "dest-width": place.width, "dest-height": place.height,
        ]
        let prefix = "GstVideoConverter."
        let fields = numbers.map { (prefix + $0.key, Value.int(Int64($0.value))) }
        var options = Dictionary(uniqueKeysWithValues: fields)
        options[prefix + "fill-border"] = .bool(false)
        try fill(with: other, Structure("options", options))
    }

    private mutating func fill(
        with other: borrowing VideoFrame, _ options: Structure?
    ) throws(PipelineError) {
        try checkRows(other)
        var (input, output) = (other.frame.info, frame.frame.info)
        // A single frame has no rate, but GStreamer treats different rates as a programming error. It treats different
        // interlace modes in the same way.
        (output.fps_n, output.fps_d) = (input.fps_n, input.fps_d)
        guard input.interlace_mode == output.interlace_mode,
            let converter = Self.converter(&input, &output, options)
        else { throw PipelineError(.map, "a frame of \(other.info.caps) cannot be converted to \(info.caps)") }
        defer { gst_video_converter_free(converter) }
        withUnsafePointer(to: other.frame) { source in
            withUnsafeMutablePointer(to: &frame.frame) { gst_video_converter_frame(converter, source, $0) }
        }
    }

    /// Returns a converter, which the caller frees.
    private static func converter(
        _ input: inout GstVideoInfo, _ output: inout GstVideoInfo, _ options: Structure?
    ) -> OpaquePointer? {
        guard let options else { return gst_video_converter_new(&input, &output, nil) }
        // The converter takes ownership of its options.
        let copy = options.withPointer { gst_structure_copy($0) }
        guard let copy else { return nil }
        return gst_video_converter_new(&input, &output, copy)
    }

    /// Throws if the memory of this frame or of another lacks rows, because GStreamer would access memory beyond it.
    private func checkRows(_ other: borrowing VideoFrame) throws(PipelineError) {
        guard frame.hasAllRows, other.hasAllRows else {
            let caps = frame.hasAllRows ? other.info.caps : info.caps
            throw PipelineError(.map, "the memory of a frame of \(caps) ends before its last row")
        }
    }
}

extension VideoInfo {
    fileprivate init(mapped info: GstVideoInfo) { raw = info }
}

extension GstVideoFrame {
    /// `true` if the formats and sizes are equal, so that the rows of both have the same pixels in the same places.
    fileprivate func hasLayout(of other: GstVideoFrame) -> Bool {
        info.finfo.pointee.format == other.info.finfo.pointee.format && info.width == other.info.width
            && info.height == other.info.height
    }
}
