// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc
import SystemBase

/// A counted reference to a piece of media data with its times (`GstBuffer`).
///
/// A buffer from an ``AppSink`` or a ``Sample`` may be shared with elements: it is read-only here. To write, create a
/// new buffer, or use a probe (``Pad/probeBuffers(_:)``).
///
/// Holding a camera's buffers for long starves the camera, which has only a few: copy data that must last.
///
/// `@unchecked Sendable`: one immutable pointer. GStreamer counts references atomically, and writes to no buffer that
/// has more than one reference. Mapping takes a second reference, because GStreamer merges the memories of a buffer
/// that has only one.
public final class Buffer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>, _ ownership: Ownership) {
        if ownership == .none { gst_buffer_ref(pointer) }
        self.pointer = pointer
    }

    /// Copies bytes into a new buffer (`gst_buffer_new_memdup`).
    ///
    /// - Parameters:
    ///   - bytes: The content of the buffer.
    ///   - presentationTime: The presentation time, in the time of the buffer's stream; `nil` for none.
    ///   - decodingTime: The decoding time, in the time of the buffer's stream; `nil` for none.
    ///   - duration: The duration of the data; `nil` if it is not known.
    ///   - flags: The properties of the data.
    /// - Throws: ``PipelineError/Code/initialization``.
    public init(
        _ bytes: some Sequence<UInt8>, presentationTime: ClockTime? = nil, decodingTime: ClockTime? = nil,
        duration: ClockTime? = nil, flags: BufferFlags = []
    )
        throws(PipelineError)
    {
        try GStreamer.initialize()
        let contiguous = ContiguousArray(bytes)
        // GStreamer logs a critical for memory of 0 bytes, but not for a buffer without memory.
        pointer =
            contiguous.isEmpty
            ? gst_buffer_new()
            : contiguous.withUnsafeBytes { gst_buffer_new_memdup($0.baseAddress, gsize($0.count)) }
        pointer.pointee.pts = presentationTime.native
        pointer.pointee.dts = decodingTime.native
        pointer.pointee.duration = duration.native
        flags.set(of: pointer)
    }

    /// Allocates a buffer, and lends its memory for writing (`gst_buffer_new_allocate`). `body` must write all of it.
    ///
    /// - Throws: ``PipelineError/Code/map`` if there is no memory, and any error of `body`.
    package init(
        count: Int, presentationTime: ClockTime?, _ body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        try GStreamer.initialize()
        var map = GstMapInfo()
        guard let pointer = gst_buffer_new_allocate(nil, gsize(count), nil) else {
            throw PipelineError(.map, "no memory for a buffer of \(count) bytes")
        }
        self.pointer = pointer
        guard gst_buffer_map(pointer, &map, GST_MAP_WRITE) != 0 else {
            throw PipelineError(.map, "a buffer cannot be written")
        }
        defer { gst_buffer_unmap(pointer, &map) }
        try body(UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size)))
        pointer.pointee.pts = presentationTime.native
    }

    deinit {
        gst_buffer_unref(pointer)
    }

    /// The number of bytes (`gst_buffer_get_size`).
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// The presentation time, in the time of the buffer's stream; `nil` if it has none (`GST_BUFFER_PTS`).
    public var presentationTime: ClockTime? { ClockTime(pointer.pointee.pts) }

    /// The decoding time, in the time of the buffer's stream; `nil` if it has none (`GST_BUFFER_DTS`). It differs from
    /// the presentation time if frames are decoded in another order than they are shown.
    public var decodingTime: ClockTime? { ClockTime(pointer.pointee.dts) }

    /// The duration of the data; `nil` if it is not known (`GST_BUFFER_DURATION`).
    public var duration: ClockTime? { ClockTime(pointer.pointee.duration) }

    /// The properties of the data (`GST_BUFFER_FLAGS`).
    public var flags: BufferFlags { BufferFlags(of: pointer) }

    /// The number that the source gave the buffer; `nil` if the source does not count (`GST_BUFFER_OFFSET`).
    public var offset: UInt64? { pointer.pointee.offset == .max ? nil : UInt64(pointer.pointee.offset) }

    /// `true` if the source marked the data as damaged (`GST_BUFFER_FLAG_CORRUPTED`).
    public var isCorrupted: Bool { flags.contains(.corrupted) }

    /// Lends the bytes for reading (`gst_buffer_map`). The compiler prevents the span from outliving the call.
    ///
    /// - Throws: ``PipelineError/Code/map``, and any error of `body`.
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
    /// - Throws: ``PipelineError/Code/map`` if there is not enough memory.
    public func copied() throws(PipelineError) -> Buffer {
        guard let copy = gst_buffer_copy_deep(pointer) else {
            throw PipelineError(.map, "no memory for a copy of \(count) bytes")
        }
        return Buffer(copy, .full)
    }

    /// `true` if holding this buffer can leave its producer without buffers: the memory belongs to a device, or to a
    /// pool with a limited number of buffers (`GstMemory`, `GstBufferPool`).
    public var isScarce: Bool {
        guard isOrdinary else { return true }
        guard let pool = pointer.pointee.pool else { return false }
        let configuration = gst_buffer_pool_get_config(pool)
        defer { gst_structure_free(configuration) }
        var limit: guint = 0
        gst_buffer_pool_config_get_params(configuration, nil, nil, nil, &limit)
        return limit > 0
    }

    /// `true` if both buffers have a memory in common, as a copy with other times has (``stamped(at:duration:)``).
    package func sharesMemory(with other: Buffer) -> Bool {
        let memories = (0..<gst_buffer_n_memory(other.pointer)).map { gst_buffer_peek_memory(other.pointer, $0) }
        return (0..<gst_buffer_n_memory(pointer)).contains { memories.contains(gst_buffer_peek_memory(pointer, $0)) }
    }

    /// Returns the memory of a frame that will not be read again to the system, while an element still holds the buffer
    /// (`MADV_DONTNEED`). The bytes become 0, except those at both ends that share a page with other data. Memory of a
    /// device and memory that is read-only stay as they are.
    package func discardBytes() {
        guard isOrdinary else { return }
        let page = Int(getpagesize())
        for index in 0..<gst_buffer_n_memory(pointer) {
            var map = GstMapInfo()
            guard let memory = gst_buffer_peek_memory(pointer, index), cgst_memory_is_read_only(memory) == 0,
                gst_memory_map(memory, &map, GST_MAP_READ) != 0
            else { continue }
            defer { gst_memory_unmap(memory, &map) }
            let start = (Int(bitPattern: map.data) + page - 1) / page * page
            let end = (Int(bitPattern: map.data) + Int(map.size)) / page * page
            if start < end { madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED) }
        }
    }

    private var isOrdinary: Bool {
        (0..<gst_buffer_n_memory(pointer)).allSatisfy {
            gst_memory_is_type(gst_buffer_peek_memory(pointer, $0), "SystemMemory") != 0
        }
    }

    /// Holds a second reference during `body`, so that GStreamer treats the buffer as shared and leaves it unchanged.
    /// With one reference, mapping replaces several memories with a merged one while another thread reads them.
    fileprivate func shared<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        gst_buffer_ref(pointer)
        defer { gst_buffer_unref(pointer) }
        return try body()
    }

    /// Returns a copy of the bytes.
    ///
    /// - Throws: ``PipelineError/Code/map``.
    public func bytes() throws -> [UInt8] {
        try withBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}

extension Buffer: Hashable {
    /// `true` if both are the same buffer.
    public static func == (left: Buffer, right: Buffer) -> Bool { left.pointer == right.pointer }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}

extension Buffer {
    /// Lends the buffer as a video frame for reading, with the planes and strides that it has in memory
    /// (`gst_video_frame_map`).
    ///
    /// - Throws: ``PipelineError/Code/map`` if the buffer is not a frame of this format, and any error of `body`.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing VideoFrame) throws -> Result
    ) throws -> Result {
        try body(shared { () throws(PipelineError) in try VideoFrame(mapping: pointer, info) })
    }
}
