// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

/// A buffer that passes through a pad, lent to a probe (``Pad/probeBuffers(_:)``).
public struct ProbedBuffer: ~Copyable {
    private var pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    /// The number of bytes (`gst_buffer_get_size`).
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// The presentation time, in the time of the buffer's stream; `nil` if it has none (`GST_BUFFER_PTS`).
    public var presentationTime: ClockTime? { ClockTime(pointer.pointee.pts) }

    /// The decoding time, in the time of the buffer's stream; `nil` if it has none (`GST_BUFFER_DTS`).
    public var decodingTime: ClockTime? { ClockTime(pointer.pointee.dts) }

    /// The duration of the data; `nil` if it is not known (`GST_BUFFER_DURATION`).
    public var duration: ClockTime? { ClockTime(pointer.pointee.duration) }

    /// The properties of the data (`GST_BUFFER_FLAGS`).
    public var flags: BufferFlags { BufferFlags(of: pointer) }

    /// The visible part of the frame, in pixels (`GstVideoCropMeta`); `nil` for all of it.
    public var crop: CropRectangle? { cgst_buffer_get_video_crop_meta(pointer).map { CropRectangle($0.pointee) } }

    /// Returns a reference that the caller may keep (`gst_buffer_ref`). While the reference exists, other holders
    /// cannot write this buffer without copying it.
    public func retained() -> Buffer { Buffer(pointer, .none) }

    /// Replaces the buffer with another one.
    public mutating func replace(with other: Buffer) {
        gst_buffer_ref(other.pointer)
        gst_buffer_unref(pointer)
        pointer = other.pointer
    }

    /// Replaces the buffer with a copy of the frame in memory of `pool`, with the same times, flags and crop.
    ///
    /// The probe releases the original. Unless another holder keeps it, a camera gets its buffer back at once, even if
    /// the copy is kept for long.
    ///
    /// - Throws: ``PipelineError/Code/map`` if the buffer is not a frame of the pool's format, or there is no memory.
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
    /// - Throws: ``PipelineError/Code/map`` if the buffer is not a frame of this format, and any error of `body`.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing VideoFrame) throws -> Result
    ) throws -> Result {
        try body(VideoFrame(mapping: pointer, info))
    }

    /// Lends the buffer as a video frame for writing in place (`gst_video_frame_map`).
    ///
    /// If the buffer has another holder, the probe continues with a copy (`gst_buffer_make_writable`). That call copies
    /// no pixels; mapping copies them if the memory is shared. Behind a converter or scaler that is not in passthrough,
    /// nothing is copied.
    ///
    /// - Throws: The errors of ``withVideoFrame(_:_:)``.
    public mutating func withWritableVideoFrame<Result>(
        _ info: VideoInfo, _ body: (inout WritableVideoFrame) throws -> Result
    ) throws -> Result {
        pointer = cgst_buffer_make_writable(pointer)
        var frame = try WritableVideoFrame(mapping: pointer, info)
        return try body(&frame)
    }

    /// Lends the buffer as ``withWritableVideoFrame(_:_:)`` does, but allocates no error if the mapping fails.
    ///
    /// - Returns: The result of `body`; `nil` if the buffer is not a frame of this format, or its memory cannot be
    ///   mapped.
    public mutating func withWritableVideoFrameIfMapped<Result>(
        _ info: VideoInfo, _ body: (inout WritableVideoFrame) throws -> Result
    ) rethrows -> Result? {
        pointer = cgst_buffer_make_writable(pointer)
        guard var frame = WritableVideoFrame(mappingIfPossible: pointer, info) else { return nil }
        return try body(&frame)
    }

    /// Returns the one reference that GStreamer lent to the probe.
    consuming func relinquish() -> UnsafeMutablePointer<GstBuffer> { pointer }
}
