// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc

/// Buffers for video frames of one format that are used again and again (`GstBufferPool`).
///
/// A large buffer of its own for each frame costs more in page faults than writing it does. A buffer goes back to the
/// pool when its last holder lets go of it, wherever that is. Any thread may use the pool.
public final class FramePool: Sendable {
    /// The format of the frames.
    public let info: VideoInfo
    private let pool: Object

    /// In bytes: the smallest of any machine, and a large one of x86-64 and of ARM with pages of 4 KiB.
    private static let page = 4096
    private static let hugePage = 2 << 20

    /// Creates a pool, and allocates its first buffer.
    ///
    /// - Throws: ``PipelineError/Code/map`` where there is no memory for a frame.
    public init(_ info: VideoInfo) throws(PipelineError) {
        self.info = info
        pool = Object(gst_buffer_pool_new(), .full)
        guard gst_buffer_pool_set_config(pool.cast(), Self.configuration(pool, info)) != 0,
            gst_buffer_pool_set_active(pool.cast(), 1) != 0
        else { throw PipelineError(.map, "no memory for frames of \(info.caps)") }
        try touch()
    }

    /// What the pool is to make, one buffer of it at once (`gst_buffer_pool_config_set_params`); the pool takes it over.
    private static func configuration(_ pool: Object, _ info: VideoInfo) -> UnsafeMutablePointer<GstStructure>? {
        let configuration = gst_buffer_pool_get_config(pool.cast())
        withExtendedLifetime(info.caps) { caps in
            gst_buffer_pool_config_set_params(configuration, caps.pointer, guint(clamping: info.byteCount), 1, 0)
        }
        var parameters = allocation(of: info.byteCount)
        gst_buffer_pool_config_set_allocator(configuration, nil, &parameters)
        return configuration
    }

    /// Memory that begins and ends with a large page, where it is as long as one.
    private static func allocation(of byteCount: Int) -> GstAllocationParams {
        var parameters = GstAllocationParams()
        gst_allocation_params_init(&parameters)
        parameters.align = gsize(hugePage - 1)
        let excess = byteCount % hugePage
        parameters.padding = gsize(byteCount < hugePage || excess == 0 ? 0 : hugePage - excess)
        return parameters
    }

    deinit { gst_buffer_pool_set_active(pool.cast(), 0) }

    /// Takes a buffer, and lends it for writing (`gst_buffer_pool_acquire_buffer`). What is in it from before is still
    /// there: write all of it.
    ///
    /// - Throws: ``PipelineError/Code/map`` where there is no memory, and what `body` throws.
    public func makeFrame(_ body: (inout WritableVideoFrame) throws -> Void) throws -> Buffer {
        let buffer = try acquire()
        var frame = try WritableVideoFrame(mapping: buffer.pointer, info)
        try body(&frame)
        _ = consume frame
        return buffer
    }

    private func acquire() throws(PipelineError) -> Buffer {
        var pointer: UnsafeMutablePointer<GstBuffer>?
        guard gst_buffer_pool_acquire_buffer(pool.cast(), &pointer, nil) == GST_FLOW_OK, let pointer else {
            throw PipelineError(.map, "no memory for a frame of \(info.caps)")
        }
        return Buffer(pointer, .full)
    }

    /// Memory costs time when it is first written: better now than with the first frame, and in few large pages rather
    /// than hundreds of small ones (`madvise`).
    private func touch() throws(PipelineError) {
        withExtendedLifetime(try acquire()) { buffer in
            var map = GstMapInfo()
            guard gst_buffer_map(buffer.pointer, &map, GST_MAP_WRITE) != 0 else { return }
            defer { gst_buffer_unmap(buffer.pointer, &map) }
            if Int(map.size) >= Self.hugePage { madvise(map.data, Int(map.maxsize), MADV_HUGEPAGE) }
            for offset in stride(from: 0, to: Int(map.size), by: Self.page) { map.data[offset] = 0 }
        }
    }
}
