// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization
import SystemBase

/// The end of a pipeline, from which the program takes samples (`GstAppSink`).
///
/// The sink buffers samples as its ``Policy`` says; Swift wakes only while a task waits for a sample. If several tasks
/// wait, each sample goes to one of them. GStreamer's sink keeps a reference to the last sample that it returned, until
/// the next one or the stop.
public final class AppSink: Sendable {
    /// The handling of samples that the program has not taken yet. A count below 1 is treated as 1.
    public enum Policy: Sendable, Hashable {
        /// Keeps the newest `count` samples, and drops older ones: for live sources, which must never wait.
        case keepNewest(_ count: Int = 1)
        /// Keeps at most `count` samples, and blocks the pipeline until the program takes one: for files, of which no
        /// sample may be lost.
        case waitWhenHolding(_ count: Int)
    }

    /// The element, for its properties and pads.
    public let element: Element

    private let arrivals = Arrivals()
    private let failure: FirstError

    /// Creates a sink for an `appsink` of a pipeline. A later sink, outlet or bridge for the same element replaces it.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such element, or it is not an appsink.
    public init(named name: String, in pipeline: Pipeline, _ policy: Policy) throws(PipelineError) {
        element = try pipeline.element(named: name)
        failure = pipeline.bus.failure
        guard g_type_check_instance_is_a(element.cast(), gst_app_sink_get_type()) != 0 else {
            throw element.failure(.notFound, "is not an appsink")
        }
        apply(policy)
        listen()
        pipeline.bus.register(arrivals.wakeup)
    }

    /// The number of samples that have arrived, including dropped ones.
    public var arrivalCount: Int { arrivals.count.load(ordering: .relaxed) }

    /// The time at which the last sample arrived, on ``PipelineClock/system``; `nil` before the first. Reading it is
    /// cheap.
    public var lastArrival: ClockTime? {
        let nanoseconds = arrivals.lastTime.load(ordering: .relaxed)
        return nanoseconds == 0 ? nil : ClockTime(nanoseconds: nanoseconds)
    }

    /// `true` if the end of the stream has arrived and every sample was taken (`gst_app_sink_is_eos`).
    public var isAtEnd: Bool {
        // gst_app_sink_is_eos is also true for a sink that has not started.
        arrivals.hasEnded.load(ordering: .acquiring) && gst_app_sink_is_eos(element.cast()) != 0
    }

    /// Takes the oldest buffered sample, without waiting (`gst_app_sink_try_pull_sample`); `nil` if there is none.
    public func takeSample() -> Sample? { gst_app_sink_try_pull_sample(element.cast(), 0).map { Sample($0, .full) } }

    /// Waits for a sample. Returns `nil` at the end of the stream, when the pipeline is stopped or released, and when
    /// the task is canceled.
    ///
    /// A task may wait before the pipeline plays. Samples that arrived before an error are returned first.
    ///
    /// - Throws: The first error of the pipeline (``Bus/firstError``), whether or not an end of stream follows it.
    public func nextSample() async throws(PipelineError) -> Sample? {
        while !Task.isCancelled {
            let signals = arrivals.wakeup.signals
            // Read the error before taking a sample: a sample that arrived before the error is in the sink by then.
            let error = failure.error
            if let sample = takeSample() { return sample }
            if let error { throw error }
            if isAtEnd || arrivals.wakeup.isClosed { return nil }
            await arrivals.wakeup.wait(after: signals)
        }
        return nil
    }

    private func apply(_ policy: Policy) {
        let sink: UnsafeMutablePointer<GstAppSink> = element.cast()
        switch policy {
        case .keepNewest(let count):
            gst_app_sink_set_max_buffers(sink, guint(clamping: max(1, count)))
            gst_app_sink_set_drop(sink, 1)
        case .waitWhenHolding(let count):
            gst_app_sink_set_max_buffers(sink, guint(clamping: max(1, count)))
            gst_app_sink_set_drop(sink, 0)
        }
        // This property would make the sink hold one more of a camera's few buffers, which no caller reads.
        try? element.set("enable-last-sample", to: false)
        // With this property, a sample would hold a list instead of a buffer.
        try? element.set("buffer-list", to: false)
        // With this property, the end of the stream would block the pipeline until the program has taken all samples.
        try? element.set("wait-on-eos", to: false)
    }

    private func listen() {
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = receiveSample
        callbacks.eos = receiveEnd
        gst_app_sink_set_callbacks(
            element.cast(), &callbacks, Unmanaged.passRetained(arrivals).toOpaque(), releaseArrivals)
    }
}

extension AppSink {
    /// The samples in order, until the stream ends, or the pipeline is stopped or released. The sequence throws the
    /// first error of the pipeline.
    public var samples: Samples { Samples(sink: self) }

    /// An async sequence over the samples of an ``AppSink``.
    public struct Samples: AsyncSequence, Sendable {
        let sink: AppSink

        /// Creates an iterator, for one task at a time.
        public func makeAsyncIterator() -> Iterator { Iterator(sink: sink) }

        /// Waits for the next sample.
        public struct Iterator: AsyncIteratorProtocol {
            let sink: AppSink

            /// Returns the next sample; `nil` at the end.
            public mutating func next() async throws(PipelineError) -> Sample? { try await sink.nextSample() }

            /// Returns the next sample; `nil` at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(PipelineError) -> Sample? {
                try await sink.nextSample()
            }
        }
    }
}

/// The state that the streaming thread shares with the program. It counts samples, and wakes the tasks that wait.
private final class Arrivals: Sendable {
    let wakeup = Wakeup()
    let count = Atomic(0)
    let lastTime = Atomic<UInt64>(0)
    let hasEnded = Atomic(false)

    func end() {
        hasEnded.store(true, ordering: .releasing)
        wakeup.signal()
    }

    func record() {
        count.wrappingAdd(1, ordering: .relaxed)
        lastTime.store(PipelineClock.system.now.nanoseconds, ordering: .relaxed)
        wakeup.signal()
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func receiveSample(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).takeUnretainedValue().record() }
    return GST_FLOW_OK
}

private func receiveEnd(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).takeUnretainedValue().end() }
}

private func releaseArrivals(_ data: gpointer?) {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).release() }
}
