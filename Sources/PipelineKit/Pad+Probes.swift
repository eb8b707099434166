// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// What a probe wants done with the item it saw.
public enum ProbeVerdict: Sendable {
    /// Let it go on (`GST_PAD_PROBE_OK`).
    case pass
    /// Let this one not go on (`GST_PAD_PROBE_DROP`).
    case drop
    /// Let it go on, and take the probe away (`GST_PAD_PROBE_REMOVE`).
    case remove
}

/// An event that travels through a pad, of those that matter to a probe (`GstEvent`).
public enum PadEvent: Sendable {
    /// What follows has this format.
    case caps(Caps)
    /// A new segment of time begins.
    case segment
    /// The stream starts.
    case streamStart
    /// Nothing follows.
    case endOfStream
    /// What is under way is thrown away.
    case flushStart
    /// Data flows again after a flush.
    case flushStop
    /// Any other, by GStreamer's name for it.
    case other(String)
}

/// A probe on a pad; it stays until ``remove()`` or the end of the pad, even when nobody holds this.
///
/// `@unchecked Sendable`: a weak reference that GObject keeps, and an immutable number.
public final class PadProbe: @unchecked Sendable {
    // Weak, as the probe's closure often is held by those who hold the pad.
    private let pad: UnsafeMutablePointer<GWeakRef>
    private let identifier: gulong

    fileprivate init(_ pad: Pad, _ identifier: gulong) {
        self.pad = .allocate(capacity: 1)
        self.identifier = identifier
        g_weak_ref_init(self.pad, pad.pointer)
    }

    deinit {
        g_weak_ref_clear(pad)
        pad.deallocate()
    }

    /// Takes the probe away (`gst_pad_remove_probe`). It may still run once on another thread while this returns.
    /// Do not call it twice, nor after the probe itself answered ``ProbeVerdict/remove``.
    public func remove() {
        guard let alive = g_weak_ref_get(pad) else { return }
        defer { g_object_unref(alive) }
        gst_pad_remove_probe(alive.assumingMemoryBound(to: GstPad.self), identifier)
    }
}

extension Pad {
    /// Calls `body` with every buffer that passes, before it goes on (`gst_pad_add_probe`).
    ///
    /// It runs on a streaming thread: no waiting, no change of state, no call back into the pipeline, and best no
    /// allocation. It may write the buffer in place, or put another in its place.
    @discardableResult
    public func probeBuffers(_ body: @escaping @Sendable (inout ProbedBuffer) -> ProbeVerdict) throws(PipelineError)
        -> PadProbe
    {
        try add(BufferProbe(body), GST_PAD_PROBE_TYPE_BUFFER, runBufferProbe, releaseBufferProbe)
    }

    /// Calls `body` with every event that passes downstream, before it goes on; on a streaming thread, as for buffers.
    @discardableResult
    public func probeEvents(_ body: @escaping @Sendable (PadEvent) -> ProbeVerdict) throws(PipelineError) -> PadProbe {
        try add(EventProbe(body), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, runEventProbe, releaseEventProbe)
    }

    private func add(
        _ box: some AnyObject, _ kind: GstPadProbeType, _ run: @escaping GstPadProbeCallback,
        _ release: @escaping GDestroyNotify
    ) throws(PipelineError) -> PadProbe {
        // GStreamer calls `release` when the probe ends, also where adding it fails.
        let identifier = gst_pad_add_probe(cast(), kind, run, Unmanaged.passRetained(box).toOpaque(), release)
        guard identifier != 0 else { throw failure(.notFound, "takes no probe") }
        return PadProbe(self, identifier)
    }
}

/// A buffer on its way through a pad, lent to a probe.
public struct ProbedBuffer: ~Copyable {
    private var pointer: UnsafeMutablePointer<GstBuffer>

    fileprivate init(_ pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    /// The number of bytes.
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// When it is due, in the time of its stream.
    public var presentationTime: ClockTime? { ClockTime(pointer.pointee.pts) }

    /// A reference that may be kept. While it is, others cannot write this buffer without copying it.
    public func retained() -> Buffer { Buffer(pointer, .none) }

    /// Puts another buffer in its place.
    public mutating func replace(with other: Buffer) {
        gst_buffer_ref(other.pointer)
        gst_buffer_unref(pointer)
        pointer = other.pointer
    }

    /// Lends the buffer as a video frame for reading.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing VideoFrame) throws -> Result
    ) throws -> Result {
        try VideoFrame.withMapped(pointer, info, GST_MAP_READ) { frame in try body(frame) }
    }

    /// Lends the buffer as a video frame for writing in place.
    ///
    /// Where somebody else holds the buffer, the probe goes on with a copy of its own (`gst_buffer_make_writable`, which
    /// copies no pixels; mapping copies them where the memory is shared). Behind a converter or scaler nothing is copied.
    public mutating func withWritableVideoFrame<Result>(
        _ info: VideoInfo, _ body: (inout WritableVideoFrame) throws -> Result
    ) throws -> Result {
        pointer = cgst_buffer_make_writable(pointer)
        return try WritableVideoFrame.withMapped(pointer, info, body)
    }

    fileprivate consuming func relinquish() -> UnsafeMutablePointer<GstBuffer> { pointer }
}

private final class BufferProbe: Sendable {
    let body: @Sendable (inout ProbedBuffer) -> ProbeVerdict
    init(_ body: @escaping @Sendable (inout ProbedBuffer) -> ProbeVerdict) { self.body = body }
}

private final class EventProbe: Sendable {
    let body: @Sendable (PadEvent) -> ProbeVerdict
    init(_ body: @escaping @Sendable (PadEvent) -> ProbeVerdict) { self.body = body }
}

// Free functions: a closure literal could inherit an actor's isolation and die on a streaming thread.
private func runBufferProbe(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let data, let info, let item = info.pointee.data else { return GST_PAD_PROBE_OK }
    let probe = Unmanaged<BufferProbe>.fromOpaque(data).takeUnretainedValue()
    var buffer = ProbedBuffer(item.assumingMemoryBound(to: GstBuffer.self))
    let verdict = probe.body(&buffer)
    // The probe owns the item while it runs: what it hands back is what goes on.
    info.pointee.data = UnsafeMutableRawPointer(buffer.relinquish())
    return verdict.native
}

private func runEventProbe(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let data, let item = info?.pointee.data else { return GST_PAD_PROBE_OK }
    let probe = Unmanaged<EventProbe>.fromOpaque(data).takeUnretainedValue()
    return probe.body(PadEvent(item.assumingMemoryBound(to: GstEvent.self))).native
}

private func releaseBufferProbe(_ data: gpointer?) {
    if let data { Unmanaged<BufferProbe>.fromOpaque(data).release() }
}

private func releaseEventProbe(_ data: gpointer?) {
    if let data { Unmanaged<EventProbe>.fromOpaque(data).release() }
}

extension ProbeVerdict {
    fileprivate var native: GstPadProbeReturn {
        switch self {
        case .pass: GST_PAD_PROBE_OK
        case .drop: GST_PAD_PROBE_DROP
        case .remove: GST_PAD_PROBE_REMOVE
        }
    }
}

extension PadEvent {
    fileprivate init(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            self = caps.map { .caps(Caps($0, .none)) } ?? .other("caps")
        case GST_EVENT_SEGMENT: self = .segment
        case GST_EVENT_STREAM_START: self = .streamStart
        case GST_EVENT_EOS: self = .endOfStream
        case GST_EVENT_FLUSH_START: self = .flushStart
        case GST_EVENT_FLUSH_STOP: self = .flushStop
        default: self = .other(String(cString: gst_event_type_get_name(event.pointee.type)))
        }
    }
}
