// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A buffer on its way through a pad, lent to a probe (``Pad/probeBuffers(_:)``).
public struct ProbedBuffer: ~Copyable {
    private var pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    /// The number of bytes (`gst_buffer_get_size`).
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// When it is due, in the time of its stream (`GST_BUFFER_PTS`).
    public var presentationTime: ClockTime? { ClockTime(pointer.pointee.pts) }

    /// The part of the frame that is to be seen, in pixels (`GstVideoCropMeta`); `nil` for all of it.
    public var crop: CropRectangle? { cgst_buffer_get_video_crop_meta(pointer).map { CropRectangle($0.pointee) } }

    /// A reference that may be kept (`gst_buffer_ref`). While it is, others cannot write this buffer without copying it.
    public func retained() -> Buffer { Buffer(pointer, .none) }

    /// Puts another buffer in its place.
    public mutating func replace(with other: Buffer) {
        gst_buffer_ref(other.pointer)
        gst_buffer_unref(pointer)
        pointer = other.pointer
    }

    /// Puts a copy of the frame into its place, in memory of `pool`, with its times, flags and crop.
    ///
    /// What a camera owns few of is free again so, however long the copy is kept.
    ///
    /// - Throws: ``PipelineError/Code/map`` where the buffer is no frame of the pool's format, or there is no memory.
    public mutating func moveFrame(to pool: FramePool) throws {
        let copy = try pool.makeFrame { output in try withVideoFrame(pool.info) { try output.copy($0) } }
        let what = GstBufferCopyFlags(GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue)
        gst_buffer_copy_into(copy.pointer, pointer, what, 0, .max)
        if let crop = cgst_buffer_get_video_crop_meta(pointer) {
            cgst_buffer_add_video_crop_meta(copy.pointer, crop)
        }
        replace(with: copy)
    }

    /// Lends the buffer as a video frame for reading (`gst_video_frame_map`).
    ///
    /// - Throws: ``PipelineError/Code/map`` where the buffer is no frame of this format, and what `body` throws.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing VideoFrame) throws -> Result
    ) throws -> Result {
        try body(VideoFrame(mapping: pointer, info))
    }

    /// Lends the buffer as a video frame for writing in place (`gst_video_frame_map`).
    ///
    /// Where somebody else holds the buffer, the probe goes on with a copy of its own (`gst_buffer_make_writable`, which
    /// copies no pixels; mapping copies them where the memory is shared). Behind a converter or scaler nothing is copied.
    ///
    /// - Throws: as ``withVideoFrame(_:_:)``.
    public mutating func withWritableVideoFrame<Result>(
        _ info: VideoInfo, _ body: (inout WritableVideoFrame) throws -> Result
    ) throws -> Result {
        pointer = cgst_buffer_make_writable(pointer)
        var frame = try WritableVideoFrame(mapping: pointer, info)
        return try body(&frame)
    }

    /// Lends the buffer as ``withWritableVideoFrame(_:_:)`` does, and takes no memory if it cannot be mapped.
    ///
    /// - Returns: what `body` returns; `nil` if the buffer is no frame of this format, or its memory cannot be mapped.
    public mutating func withWritableVideoFrameIfMapped<Result>(
        _ info: VideoInfo, _ body: (inout WritableVideoFrame) throws -> Result
    ) rethrows -> Result? {
        pointer = cgst_buffer_make_writable(pointer)
        guard var frame = WritableVideoFrame(mappingIfPossible: pointer, info) else { return nil }
        return try body(&frame)
    }

    /// Hands back the one reference that the probe was lent.
    consuming func relinquish() -> UnsafeMutablePointer<GstBuffer> { pointer }
}
