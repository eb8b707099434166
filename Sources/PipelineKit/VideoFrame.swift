// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A video frame that is mapped for reading, lent for the time of a closure (`GstVideoFrame`).
public struct VideoFrame: ~Copyable {
    private var frame: GstVideoFrame

    /// The format as the frame really lies in memory, strides and offsets of its buffer included.
    public var info: VideoInfo { VideoInfo(mapped: frame.info) }

    /// The number of planes.
    public var planeCount: Int { info.planeCount }

    /// Lends a plane: all its rows, with padding between them.
    ///
    /// - Returns: what `body` returns; `nil` where there is no such plane.
    public func withPlane<Result>(
        _ index: Int, _ body: (_ bytes: RawSpan, _ layout: PlaneLayout) throws -> Result
    ) rethrows -> Result? {
        guard let plane = mapped(index) else { return nil }
        return try body(UnsafeRawBufferPointer(plane.bytes).bytes, plane.layout)
    }

    /// A plane's memory and layout, strides as mapped.
    fileprivate func mapped(_ index: Int) -> (bytes: UnsafeMutableRawBufferPointer, layout: PlaneLayout)? {
        guard let nominal = info.plane(index) else { return nil }
        return withUnsafePointer(to: frame) { frame in
            guard let start = cgst_frame_plane_data(frame, guint(index)), nominal.rows > 0 else { return nil }
            let stride = Int(cgst_frame_plane_stride(frame, guint(index)))
            let layout = PlaneLayout(offset: nominal.offset, stride: stride, rowBytes: nominal.rowBytes, rows: nominal.rows)
            // The last row may end without its padding.
            let count = stride * (nominal.rows - 1) + nominal.rowBytes
            return (UnsafeMutableRawBufferPointer(start: start, count: max(0, count)), layout)
        }
    }

    static func withMapped<Result>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo, _ access: GstMapFlags,
        _ body: (inout VideoFrame) throws -> Result
    ) throws -> Result {
        var (info, frame) = (info.raw, GstVideoFrame())
        guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else {
            throw PipelineError(.map, "a buffer is no frame of \(VideoInfo(mapped: info).caps)")
        }
        defer { gst_video_frame_unmap(&frame) }
        var lent = VideoFrame(frame: frame)
        return try body(&lent)
    }
}

/// A video frame that is mapped for reading and writing, lent for the time of a closure.
public struct WritableVideoFrame: ~Copyable {
    private var frame: VideoFrame

    /// The format as the frame really lies in memory.
    public var info: VideoInfo { frame.info }

    /// The number of planes.
    public var planeCount: Int { frame.planeCount }

    /// Lends a plane for writing: all its rows, with padding between them.
    ///
    /// - Returns: what `body` returns; `nil` where there is no such plane.
    public mutating func withPlane<Result>(
        _ index: Int, _ body: (_ bytes: inout MutableRawSpan, _ layout: PlaneLayout) throws -> Result
    ) rethrows -> Result? {
        guard let plane = frame.mapped(index) else { return nil }
        var span = plane.bytes.mutableBytes
        return try body(&span, plane.layout)
    }

    static func withMapped<Result>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: VideoInfo,
        _ body: (inout WritableVideoFrame) throws -> Result
    ) throws -> Result {
        var (info, frame) = (info.raw, GstVideoFrame())
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else {
            throw PipelineError(.map, "a buffer is no writable frame of \(VideoInfo(mapped: info).caps)")
        }
        defer { gst_video_frame_unmap(&frame) }
        var lent = WritableVideoFrame(frame: VideoFrame(lending: frame))
        return try body(&lent)
    }
}

extension VideoFrame {
    fileprivate init(lending frame: GstVideoFrame) { self.frame = frame }
}

extension VideoInfo {
    init(mapped info: GstVideoInfo) { raw = info }
}
