// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A buffer together with what is needed to understand it: its caps and its segment (`GstSample`).
///
/// `@unchecked Sendable`: one immutable pointer to a sample that nobody writes after it was made.
public final class Sample: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer, _ ownership: Ownership) {
        if ownership == .none { gst_sample_ref(pointer) }
        self.pointer = pointer
    }

    /// Puts a buffer and its caps together (`gst_sample_new`).
    public convenience init(_ buffer: Buffer, caps: Caps) {
        self.init(gst_sample_new(buffer.pointer, caps.pointer, nil, nil), .full)
    }

    deinit {
        gst_sample_unref(pointer)
    }

    /// The data (`gst_sample_get_buffer`).
    public var buffer: Buffer? { gst_sample_get_buffer(pointer).map { Buffer($0, .none) } }

    /// What the data is (`gst_sample_get_caps`).
    public var caps: Caps? { gst_sample_get_caps(pointer).map { Caps($0, .none) } }

    /// When the data is due, counted from the moment the pipeline began to run (`gst_segment_to_running_time`);
    /// `nil` where it has no time or lies outside its segment.
    ///
    /// Add ``Pipeline/baseTime`` for the moment on the pipeline's clock.
    public var runningTime: ClockTime? {
        guard let segment = gst_sample_get_segment(pointer), let buffer = gst_sample_get_buffer(pointer),
            segment.pointee.format == GST_FORMAT_TIME, buffer.pointee.pts != cgst_clock_time_none
        else { return nil }
        return ClockTime(gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts))
    }
}

extension Sample: Hashable {
    /// True where both are the same sample.
    public static func == (left: Sample, right: Sample) -> Bool { left.pointer == right.pointer }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
