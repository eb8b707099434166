// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// The end of a pipeline from which any number of readers take samples: an `appsink` instead of a `tee`.
///
/// Readers are added and removed while the pipeline plays. Its elements, pads and states do not change. A
/// ``FrameBranch`` gives a task the newest sample, and never delays another reader. A ``FrameBridge`` passes each sample
/// to a closure as it arrives; other bridges wait until the closure returns.
///
///     let outlet = try FrameOutlet(named: "frames", in: camera)
///     let stills = outlet.branch()
///     let preview = outlet.bridge { source.relay($0) }
///
/// Any thread may use an outlet. Only the outlet may read from the sink.
public final class FrameOutlet: Sendable {
    /// Receives the presentation time of a sample, and the time of its arrival.
    package typealias OnArrival = @Sendable (_ presentationTime: ClockTime?, _ arrival: ClockTime) -> Void

    let readers: SampleReaders
    private let failure: FirstError

    /// Creates an outlet for an `appsink` of a pipeline that does not run yet.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such element, or it is not an appsink.
    public convenience init(named name: String, in pipeline: Pipeline) throws(PipelineError) {
        try self.init(named: name, in: pipeline, SampleReaders())
    }

    /// Creates an outlet that reports each arrival, before a reader has the sample.
    ///
    /// - Parameter onArrival: Runs on a streaming thread: it must not wait.
    /// - Throws: The errors of ``init(named:in:)``.
    package convenience init(
        named name: String, in pipeline: Pipeline, onArrival: @escaping OnArrival
    ) throws(PipelineError) {
        try self.init(named: name, in: pipeline, SampleReaders(onArrival: onArrival))
    }

    init(named name: String, in pipeline: Pipeline, _ readers: SampleReaders) throws(PipelineError) {
        (self.readers, failure) = (readers, pipeline.bus.failure)
        let sink = try AppSink(named: name, in: pipeline, .keepNewest(1))
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = passSample
        callbacks.eos = passEnd
        gst_app_sink_set_callbacks(
            sink.element.cast(), &callbacks, Unmanaged.passRetained(readers).toOpaque(), releaseReaders)
        pipeline.bus.register(readers.wakeup)
    }

    /// The time at which the last sample arrived, on ``PipelineClock/system``; `nil` before the first. Reading it is
    /// cheap.
    public var lastArrival: ClockTime? {
        let nanoseconds = readers.lastArrival.load(ordering: .relaxed)
        return nanoseconds == 0 ? nil : ClockTime(nanoseconds: nanoseconds)
    }

    /// The number of samples that have arrived.
    public var arrivalCount: Int { Int(clamping: readers.arrivals) }

    /// Returns a branch with the newest sample, if there is one, and all later ones.
    public func branch() -> FrameBranch { FrameBranch(readers, failure) }

    /// Returns a bridge that passes each sample from now on to `body`, one at a time, until the bridge is closed or
    /// released, or this outlet is closed.
    ///
    /// `body` runs on a streaming thread, under a lock of the outlet: it must not wait, change a state, or add or close
    /// a bridge of this outlet.
    public func bridge(_ body: @escaping @Sendable (Sample) -> Void) -> FrameBridge { FrameBridge(readers, body) }

    /// Closes all readers, current and later ones, and releases the newest sample: a camera may need its buffers to
    /// stop. Tasks that wait for a sample get `nil`. Do not call this on a streaming thread.
    public func close() { readers.close() }
}

/// Gives tasks the newest sample of a ``FrameOutlet``, each sample once.
public final class FrameBranch: Sendable {
    private let readers: SampleReaders
    private let failure: FirstError
    /// The number of the last sample that was taken; `nil` after the branch was closed.
    private let lastTaken = Mutex<UInt64?>(0)

    fileprivate init(_ readers: SampleReaders, _ failure: FirstError) {
        (self.readers, self.failure) = (readers, failure)
    }

    /// Waits for a sample that this branch has not returned. Returns `nil` at the end of the stream, when the branch is
    /// closed, when the pipeline is stopped or released, and when the task is canceled.
    ///
    /// - Throws: The first error of the pipeline (``Bus/firstError``), after a sample that arrived before it.
    public func nextSample() async throws(PipelineError) -> Sample? {
        while !Task.isCancelled {
            let signals = readers.wakeup.signals
            // Read the error before taking the sample: a sample that arrived before the error is here by then.
            let (error, hasEnded) = (failure.error, readers.hasEnded)
            if let sample = take() { return sample }
            if let error { throw error }
            if hasEnded || readers.wakeup.isClosed || isClosed { return nil }
            await readers.wakeup.wait(after: signals)
        }
        return nil
    }

    /// Closes the branch. A task that waits for a sample gets `nil`. Any thread may call this.
    public func close() {
        lastTaken.withLock { $0 = nil }
        readers.wakeup.signal()
    }

    private var isClosed: Bool { lastTaken.withLock { $0 == nil } }

    private func take() -> Sample? {
        lastTaken.withLock { last in
            guard let number = last, let newest = readers.newest(after: number) else { return nil }
            last = newest.number
            return newest.sample
        }
    }
}

/// The state that the streaming thread shares with an outlet and its readers.
final class SampleReaders: Sendable {
    private struct Stream: ~Copyable {
        var newest: BufferReference?
        var format = SampleFormat()
        /// The number of samples that have arrived.
        var count: UInt64 = 0
        var hasEnded = false
        var isClosed = false
    }

    let wakeup = Wakeup()
    let lastArrival = Atomic<UInt64>(0)
    private let keepsNewest: Bool
    private let onArrival: FrameOutlet.OnArrival?
    private let stream = Mutex(Stream())
    /// The bridges; `nil` after the outlet was closed.
    private let crossings = Mutex<[Crossing]?>([])

    /// - Parameter keepsNewest: `true` to keep the newest sample for branches.
    init(keepsNewest: Bool = true, onArrival: FrameOutlet.OnArrival? = nil) {
        (self.keepsNewest, self.onArrival) = (keepsNewest, onArrival)
    }

    /// `true` if no more samples will arrive.
    var hasEnded: Bool { stream.withLock { $0.hasEnded || $0.isClosed } }

    /// The number of samples that have arrived, if the newest is kept.
    var arrivals: UInt64 { stream.withLock { $0.count } }

    /// Returns the newest sample with its number; `nil` if it has this number or a lower one.
    func newest(after number: UInt64) -> (sample: Sample, number: UInt64)? {
        stream.withLock { stream in
            guard stream.count > number, let buffer = stream.newest?.pointer else { return nil }
            return (stream.format.sample(of: buffer), stream.count)
        }
    }

    func add(_ crossing: Crossing) { crossings.withLock { $0?.append(crossing) } }

    func remove(_ crossing: Crossing) { crossings.withLock { $0?.removeAll { $0 === crossing } } }

    /// Runs on the streaming thread.
    func pass(_ sample: OpaquePointer) {
        guard let buffer = gst_sample_get_buffer(sample) else { return }
        let now = ClockTime.now
        lastArrival.store(now.nanoseconds, ordering: .relaxed)
        onArrival?(ClockTime(buffer.pointee.pts), now)
        if keepsNewest {
            // The replaced buffer is released outside of the lock: its memory can go back to a driver.
            let replaced = replaceNewest(buffer, sample)
            wakeup.signal()
            _ = consume replaced
        }
        cross(sample)
    }

    func end() {
        stream.withLock { $0.hasEnded = true }
        wakeup.signal()
    }

    func close() {
        _ = stream.withLock { stream -> BufferReference? in
            stream.isClosed = true
            return stream.newest.take()
        }
        let open = crossings.withLock { crossings in
            defer { crossings = nil }
            return crossings ?? []
        }
        // Outside of the lock: a bridge may wait for the sample that it is passing.
        for crossing in open { crossing.close() }
        wakeup.signal()
    }

    /// Returns the buffer that is the newest no longer.
    private func replaceNewest(_ buffer: UnsafeMutablePointer<GstBuffer>, _ sample: OpaquePointer) -> BufferReference? {
        stream.withLock { stream in
            guard !stream.isClosed else { return nil }
            let replaced = stream.newest.take()
            stream.newest = BufferReference(buffer)
            stream.count += 1
            if !stream.format.describes(sample) { stream.format = SampleFormat(sample) }
            return replaced
        }
    }

    /// Passes a sample to all bridges under the lock, so adding or removing a bridge waits until all have it.
    private func cross(_ sample: OpaquePointer) {
        crossings.withLock { crossings in
            guard let crossings, !crossings.isEmpty else { return }
            let shared = Sample(sample, .none)
            for crossing in crossings { crossing.receive(shared) }
        }
    }
}

/// A counted reference to a buffer, without an object on the heap: one is made for each frame.
///
/// `@unchecked Sendable`: one immutable pointer, and GStreamer counts references atomically.
private struct BufferReference: ~Copyable, @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) {
        gst_buffer_ref(pointer)
        self.pointer = pointer
    }

    deinit { gst_buffer_unref(pointer) }
}

/// The caps and the segment of a stream, which seldom change.
///
/// `@unchecked Sendable`: immutable, and GStreamer counts references atomically.
private struct SampleFormat: ~Copyable, @unchecked Sendable {
    private let caps: UnsafeMutablePointer<GstCaps>?
    private let segment: GstSegment

    /// The format of no stream.
    init() { (caps, segment) = (nil, GstSegment()) }

    init(_ sample: OpaquePointer) {
        caps = gst_sample_get_caps(sample).map { gst_caps_ref($0) }
        segment = gst_sample_get_segment(sample).pointee
    }

    deinit { if let caps { gst_caps_unref(caps) } }

    func describes(_ sample: OpaquePointer) -> Bool {
        guard caps == gst_sample_get_caps(sample) else { return false }
        return withUnsafePointer(to: segment) { gst_segment_is_equal($0, gst_sample_get_segment(sample)) != 0 }
    }

    func sample(of buffer: UnsafeMutablePointer<GstBuffer>) -> Sample {
        withUnsafePointer(to: segment) { Sample(gst_sample_new(buffer, caps, $0, nil), .full) }
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func passSample(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    // Pull the sample even if there is no reader: a later branch starts with it, and the sink's queue would hold one of
    // a camera's few buffers besides the last pulled one, which the sink keeps. If no reader keeps the sample, the sink
    // uses it again for the next buffer.
    guard let data, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
    Unmanaged<SampleReaders>.fromOpaque(data).takeUnretainedValue().pass(sample)
    gst_sample_unref(sample)
    return GST_FLOW_OK
}

private func passEnd(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    if let data { Unmanaged<SampleReaders>.fromOpaque(data).takeUnretainedValue().end() }
}

private func releaseReaders(_ data: gpointer?) {
    if let data { Unmanaged<SampleReaders>.fromOpaque(data).release() }
}
