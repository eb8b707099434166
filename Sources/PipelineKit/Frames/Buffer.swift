// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A counted reference to a piece of media data with its times (`GstBuffer`).
///
/// A buffer from an ``AppSink`` or a ``Sample`` may be shared with elements: it can be read here, not written. To write,
/// make a buffer of your own, or use a probe (``Pad/probeBuffers(_:)``).
///
/// Holding a camera's buffers for long starves the camera, which owns only a few: copy what must last.
///
/// `@unchecked Sendable`: one immutable pointer. GStreamer counts references atomically, and writes to no buffer that has
/// more than one reference; mapping takes a second one, since GStreamer merges the memories of a buffer with one.
public final class Buffer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>, _ ownership: Ownership) {
        if ownership == .none { gst_buffer_ref(pointer) }
        self.pointer = pointer
    }

    /// Copies bytes into a new buffer (`gst_buffer_new_memdup`).
    ///
    /// - Parameters:
    ///   - bytes: What it holds.
    ///   - presentationTime: When it is due, in the time of its stream; `nil` for none.
    ///   - duration: For how long it stands; `nil` where that is not known.
    public init(
        _ bytes: some Sequence<UInt8>, presentationTime: ClockTime? = nil, duration: ClockTime? = nil
    )
        throws(PipelineError)
    {
        try GStreamer.initialize()
        let contiguous = ContiguousArray(bytes)
        // Memory of no bytes at all is a critical to GStreamer; a buffer without memory is not.
        pointer =
            contiguous.isEmpty
            ? gst_buffer_new()
            : contiguous.withUnsafeBytes { gst_buffer_new_memdup($0.baseAddress, gsize($0.count)) }
        pointer.pointee.pts = presentationTime.native
        pointer.pointee.duration = duration.native
    }

    deinit {
        gst_buffer_unref(pointer)
    }

    /// The number of bytes (`gst_buffer_get_size`).
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// When it is due, in the time of its stream (`GST_BUFFER_PTS`).
    public var presentationTime: ClockTime? { ClockTime(pointer.pointee.pts) }

    /// For how long it stands (`GST_BUFFER_DURATION`).
    public var duration: ClockTime? { ClockTime(pointer.pointee.duration) }

    /// Its number, as the source counts; `nil` where the source does not (`GST_BUFFER_OFFSET`).
    public var offset: UInt64? { pointer.pointee.offset == .max ? nil : UInt64(pointer.pointee.offset) }

    /// True where the source marked the data as damaged (`GST_BUFFER_FLAG_CORRUPTED`).
    public var isCorrupted: Bool {
        pointer.pointee.mini_object.flags & guint(GST_BUFFER_FLAG_CORRUPTED.rawValue) != 0
    }

    /// Lends the bytes for reading (`gst_buffer_map`). The span must not, and cannot, outlive the call.
    ///
    /// - Throws: ``PipelineError/Code/map``, and what `body` throws.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
        var map = GstMapInfo()
        guard shared({ gst_buffer_map(pointer, &map, GST_MAP_READ) }) != 0 else {
            throw PipelineError(.map, "a buffer cannot be read")
        }
        defer { gst_buffer_unmap(pointer, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)).bytes)
    }

    /// Copies the bytes into separate memory, together with the times and the metadata (`gst_buffer_copy_deep`).
    ///
    /// - Throws: ``PipelineError/Code/map`` if memory is short.
    public func copied() throws(PipelineError) -> Buffer {
        guard let copy = gst_buffer_copy_deep(pointer) else {
            throw PipelineError(.map, "no memory for a copy of \(count) bytes")
        }
        return Buffer(copy, .full)
    }

    /// Holds a second reference during `body`: GStreamer then leaves the buffer as it is, because it may be in use
    /// elsewhere. With one reference, mapping replaces several memories by a merged one, while another thread reads them.
    fileprivate func shared<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        gst_buffer_ref(pointer)
        defer { gst_buffer_unref(pointer) }
        return try body()
    }

    /// A copy of the bytes.
    public func bytes() throws -> [UInt8] {
        try withBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}

extension Buffer: Hashable {
    /// True where both are the same buffer.
    public static func == (left: Buffer, right: Buffer) -> Bool { left.pointer == right.pointer }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}

extension Buffer {
    /// Lends the buffer as a video frame for reading, planes and strides as they really lie in memory
    /// (`gst_video_frame_map`).
    ///
    /// - Throws: ``PipelineError/Code/map`` where the buffer is no frame of this format, and what `body` throws.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing VideoFrame) throws -> Result
    ) throws -> Result {
        try body(shared { () throws(PipelineError) in try VideoFrame(mapping: pointer, info) })
    }
}
