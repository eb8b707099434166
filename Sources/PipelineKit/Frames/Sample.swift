// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

/// A buffer together with the caps and the segment that describe it (`GstSample`).
///
/// `@unchecked Sendable`: one immutable pointer to a sample that is not written after its creation.
public final class Sample: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer, _ ownership: Ownership) {
        if ownership == .none { gst_sample_ref(pointer) }
        self.pointer = pointer
    }

    /// Creates a sample from a buffer and its caps (`gst_sample_new`).
    public convenience init(_ buffer: Buffer, caps: Caps) {
        self.init(gst_sample_new(buffer.pointer, caps.pointer, nil, nil), .full)
    }

    deinit {
        gst_sample_unref(pointer)
    }

    /// The data; `nil` if the sample has none (`gst_sample_get_buffer`).
    public var buffer: Buffer? { gst_sample_get_buffer(pointer).map { Buffer($0, .none) } }

    /// The presentation time of the data; `nil` if there is none (`GST_BUFFER_PTS`). Cheaper than ``buffer``.
    package var presentationTime: ClockTime? { gst_sample_get_buffer(pointer).flatMap { ClockTime($0.pointee.pts) } }

    /// The number of bytes of the data (`gst_buffer_get_size`). Cheaper than ``buffer``.
    package var byteCount: Int { gst_sample_get_buffer(pointer).map { Int(gst_buffer_get_size($0)) } ?? 0 }

    /// The format of the data; `nil` if the sample has none (`gst_sample_get_caps`).
    public var caps: Caps? { gst_sample_get_caps(pointer).map { Caps($0, .none) } }

    /// The running time of the data: its presentation time, counted from the moment at which the pipeline began to run
    /// (`gst_segment_to_running_time`); `nil` if the data has no time or lies outside its segment, or if the segment
    /// counts something else, such as bytes.
    ///
    /// Add ``Pipeline/baseTime`` to get the moment on the pipeline's clock.
    public var runningTime: ClockTime? {
        guard let segment = gst_sample_get_segment(pointer), let buffer = gst_sample_get_buffer(pointer),
            segment.pointee.format == GST_FORMAT_TIME, buffer.pointee.pts != cgst_clock_time_none
        else { return nil }
        return ClockTime(gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts))
    }
}

extension Sample: Hashable {
    /// `true` if both are the same sample.
    public static func == (left: Sample, right: Sample) -> Bool { left.pointer == right.pointer }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
