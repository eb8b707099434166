// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc

/// Reusable buffers for video frames of one format (`GstBufferPool`).
///
/// Allocating a large buffer for each frame costs more in page faults than writing the frame does. A buffer returns to
/// the pool when its last holder releases it, on any thread. Any thread may use the pool.
public final class FramePool: Sendable {
    /// The format of the frames.
    public let info: VideoInfo
    private let pool: Object

    /// Page sizes in bytes: the smallest of any machine, and the large page of x86-64 and of ARM with pages of 4 KiB.
    private static let page = 4096
    private static let hugePage = 2 << 20

    /// Creates a pool, and allocates its first buffer.
    ///
    /// - Throws: ``PipelineError/Code/map`` if there is no memory for a frame.
    public init(_ info: VideoInfo) throws(PipelineError) {
        self.info = info
        pool = Object(gst_buffer_pool_new(), .full)
        guard gst_buffer_pool_set_config(pool.cast(), Self.configuration(pool, info)) != 0,
            gst_buffer_pool_set_active(pool.cast(), 1) != 0
        else { throw PipelineError(.map, "no memory for frames of \(info.caps)") }
        try touch()
    }

    /// The configuration of the pool, with one buffer allocated at once (`gst_buffer_pool_config_set_params`). The pool
    /// takes ownership of it.
    private static func configuration(_ pool: Object, _ info: VideoInfo) -> UnsafeMutablePointer<GstStructure>? {
        let configuration = gst_buffer_pool_get_config(pool.cast())
        withExtendedLifetime(info.caps) { caps in
            gst_buffer_pool_config_set_params(configuration, caps.pointer, guint(clamping: info.byteCount), 1, 0)
        }
        var parameters = allocation(of: info.byteCount)
        gst_buffer_pool_config_set_allocator(configuration, nil, &parameters)
        return configuration
    }

    /// Aligns memory to a large page. Memory of at least one large page is padded to whole large pages.
    private static func allocation(of byteCount: Int) -> GstAllocationParams {
        var parameters = GstAllocationParams()
        gst_allocation_params_init(&parameters)
        parameters.align = gsize(hugePage - 1)
        let excess = byteCount % hugePage
        parameters.padding = gsize(byteCount < hugePage || excess == 0 ? 0 : hugePage - excess)
        return parameters
    }

    deinit { gst_buffer_pool_set_active(pool.cast(), 0) }

    /// Acquires a buffer, and lends it for writing (`gst_buffer_pool_acquire_buffer`). The buffer may still hold an
    /// earlier frame: write all of it.
    ///
    /// - Throws: ``PipelineError/Code/map`` if there is no memory, and any error of `body`.
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

    /// Writes to every page of the first buffer. The first write to memory costs time: it is better spent now than with
    /// the first frame, and on few large pages rather than hundreds of small ones (`madvise`).
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
