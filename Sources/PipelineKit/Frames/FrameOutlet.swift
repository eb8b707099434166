// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// The end of a pipeline from which any number of readers take samples: an `appsink` instead of a `tee`.
///
/// Readers are added and removed while the pipeline plays. Its elements, pads and states do not change. A
/// ``FrameBranch`` keeps the newest sample for a task, and never delays another reader. A ``FrameBridge`` passes each
/// sample to a closure as it arrives; the other readers wait until the closure returns.
///
///     let outlet = try FrameOutlet(named: "frames", in: camera)
///     let stills = outlet.branch()
///     let preview = outlet.bridge { source.relay($0) }
///
/// Any thread may use an outlet. Only the outlet may read from the sink.
public final class FrameOutlet: Sendable {
    let readers: SampleReaders
    private let bus: Bus

    /// Creates an outlet for an `appsink` of a pipeline that does not run yet.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such element, or it is not an appsink.
    public convenience init(named name: String, in pipeline: Pipeline) throws(PipelineError) {
        try self.init(named: name, in: pipeline, keepsNewest: true)
    }

    /// - Parameter keepsNewest: `true` to keep the newest sample for later branches.
    init(named name: String, in pipeline: Pipeline, keepsNewest: Bool) throws(PipelineError) {
        (readers, bus) = (SampleReaders(keepsNewest: keepsNewest), pipeline.bus)
        let sink = try AppSink(named: name, in: pipeline, .keepNewest(1))
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = passSample
        callbacks.eos = passEnd
        gst_app_sink_set_callbacks(
            sink.element.cast(), &callbacks, Unmanaged.passRetained(readers).toOpaque(), releaseReaders)
        bus.register(readers.wakeup)
    }

    /// The time at which the last sample arrived, on ``PipelineClock/system``; `nil` before the first. Reading it is
    /// cheap.
    public var lastArrival: ClockTime? {
        let nanoseconds = readers.lastArrival.load(ordering: .relaxed)
        return nanoseconds == 0 ? nil : ClockTime(nanoseconds: nanoseconds)
    }

    /// Returns a branch with the newest sample, if there is one, and all later ones.
    public func branch() -> FrameBranch { FrameBranch(readers, bus) }

    /// Returns a bridge that passes each sample from now on to `body`, one at a time, until the bridge is closed or
    /// released, or this outlet is closed.
    ///
    /// `body` runs on a streaming thread, under a lock of the outlet: it must not wait, change a state, add or close a
    /// reader of this outlet, or release the last reference to a branch.
    public func bridge(_ body: @escaping @Sendable (Sample) -> Void) -> FrameBridge { FrameBridge(readers, body) }

    /// Closes all readers, current and later ones, and releases their samples: a camera may need its buffers to stop.
    /// Tasks that wait for a sample get `nil`. Do not call this on a streaming thread.
    public func close() { readers.close() }
}

/// Keeps the newest sample of a ``FrameOutlet`` until a task takes it.
public final class FrameBranch: Sendable {
    private let readers: SampleReaders
    private let bus: Bus
    private let newest = NewestSample()

    fileprivate init(_ readers: SampleReaders, _ bus: Bus) {
        (self.readers, self.bus) = (readers, bus)
        readers.add(newest, withNewest: true)
    }

    deinit { close() }

    /// Waits for a sample that this branch has not returned. Returns `nil` at the end of the stream, when the branch is
    /// closed, when the pipeline is stopped or released, and when the task is canceled.
    ///
    /// - Throws: The first error of the pipeline (``Bus/firstError``), after a sample that arrived before it.
    public func nextSample() async throws(PipelineError) -> Sample? {
        while !Task.isCancelled {
            let signals = readers.wakeup.signals
            // Read the error before taking the sample: a sample that arrived before the error is here by then.
            let (error, hasEnded) = (bus.firstError, readers.hasEnded)
            if let sample = newest.take() { return sample }
            if let error { throw error }
            if hasEnded || readers.wakeup.isClosed || newest.isClosed { return nil }
            await readers.wakeup.wait(after: signals)
        }
        return nil
    }

    /// Detaches the branch, and releases its sample. A task that waits for one gets `nil`. Do not call this in the
    /// closure of a bridge of the same outlet.
    public func close() {
        readers.remove(newest)
        newest.close()
        readers.wakeup.signal()
    }
}

/// A reader of an outlet.
protocol SampleReader: AnyObject, Sendable {
    /// Receives a sample. Calls come one at a time, under the lock of ``SampleReaders``: on a streaming thread, and for
    /// the newest earlier sample on the thread that adds the reader.
    func receive(_ sample: Sample)

    /// Receives and holds no sample from now on. Any thread may call this, except a streaming thread.
    func close()
}

/// The state that the streaming thread shares with an outlet and its readers.
final class SampleReaders: Sendable {
    private struct State {
        var readers: [any SampleReader] = []
        var newest: Sample?
        var hasEnded = false
        var isClosed = false
    }

    let wakeup = Wakeup()
    let lastArrival = Atomic<UInt64>(0)
    private let keepsNewest: Bool
    private let state = Mutex(State())

    init(keepsNewest: Bool) { self.keepsNewest = keepsNewest }

    /// `true` if no more samples will arrive.
    var hasEnded: Bool { state.withLock { $0.hasEnded || $0.isClosed } }

    func add(_ reader: any SampleReader, withNewest: Bool) {
        state.withLock { state in
            guard !state.isClosed else { return }
            // Under the lock: a later sample must not come first.
            if withNewest, let newest = state.newest { reader.receive(newest) }
            state.readers.append(reader)
        }
    }

    func remove(_ reader: any SampleReader) { state.withLock { $0.readers.removeAll { $0 === reader } } }

    /// Runs on the streaming thread.
    func pass(_ sample: Sample) {
        lastArrival.store(ClockTime.now.nanoseconds, ordering: .relaxed)
        // The replaced sample is released outside of the lock: its memory can go back to a driver.
        let old = deliver(sample)
        wakeup.signal()
        withExtendedLifetime(old) {}
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wakeup.signal()
    }

    func close() {
        let old = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        // Outside of the lock: a reader may wait for the sample that it is receiving.
        for reader in old.readers { reader.close() }
        wakeup.signal()
    }

    /// Passes a sample to all readers under the lock, so adding or removing a reader waits until all have it. Returns
    /// the sample that it replaces.
    private func deliver(_ sample: Sample) -> Sample? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            for reader in state.readers { reader.receive(sample) }
            defer { if keepsNewest { state.newest = sample } }
            return state.newest
        }
    }
}

private final class NewestSample: SampleReader {
    private struct State {
        var sample: Sample?
        var isClosed = false
    }

    private let state = Mutex(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func receive(_ sample: Sample) {
        // The old sample is released outside of this lock. `SampleReaders` still holds it.
        _ = state.withLock { state -> Sample? in
            guard !state.isClosed else { return nil }
            defer { state.sample = sample }
            return state.sample
        }
    }

    func take() -> Sample? {
        state.withLock { state in
            defer { state.sample = nil }
            return state.sample
        }
    }

    func close() {
        _ = state.withLock { state -> Sample? in
            defer { state = State(sample: nil, isClosed: true) }
            return state.sample
        }
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func passSample(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    // Pull the sample even if there is no reader: a later branch starts with it, and the sink's queue would hold one of
    // a camera's few buffers besides the last pulled one, which the sink keeps.
    guard let data, let pointer = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
    Unmanaged<SampleReaders>.fromOpaque(data).takeUnretainedValue().pass(Sample(pointer, .full))
    return GST_FLOW_OK
}

private func passEnd(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    if let data { Unmanaged<SampleReaders>.fromOpaque(data).takeUnretainedValue().end() }
}

private func releaseReaders(_ data: gpointer?) {
    if let data { Unmanaged<SampleReaders>.fromOpaque(data).release() }
}
