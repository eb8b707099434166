// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// The end of a pipeline, from which the program takes samples (`GstAppSink`).
///
/// The sink keeps samples by itself, as its ``Policy`` says; Swift wakes only while somebody waits for one. Where
/// several tasks wait, each sample goes to one of them.
public final class AppSink: Sendable {
    /// What happens to samples that nobody has taken yet.
    public enum Policy: Sendable, Hashable {
        /// The newest `count` are kept, older ones are let go: for live sources, which must never wait.
        case keepNewest(_ count: Int = 1)
        /// At most `count` are kept, and the pipeline waits until one is taken: for files, where none may be lost.
        case waitWhenHolding(_ count: Int)
    }

    /// The element, for its properties and pads.
    public let element: Element

    private let arrivals = Arrivals()
    private let bus: Bus

    /// Takes samples from an `appsink` in a pipeline.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` where there is no such element, or it is no appsink.
    public init(named name: String, in pipeline: Pipeline, _ policy: Policy) throws(PipelineError) {
        element = try pipeline.element(named: name)
        bus = pipeline.bus
        guard g_type_check_instance_is_a(element.cast(), gst_app_sink_get_type()) != 0 else {
            throw element.failure(.notFound, "is no appsink")
        }
        apply(policy)
        listen()
        bus.register(arrivals.wakeup)
    }

    /// How many samples have come so far, taken or not.
    public var arrivalCount: Int { arrivals.count.load(ordering: .relaxed) }

    /// When the last sample came, on ``PipelineClock/system``; `nil` before the first. Costs nothing to ask.
    public var lastArrival: ClockTime? {
        let nanoseconds = arrivals.lastTime.load(ordering: .relaxed)
        return nanoseconds == 0 ? nil : ClockTime(nanoseconds: nanoseconds)
    }

    /// True where the end of the stream has come and every sample was taken (`gst_app_sink_is_eos`).
    public var isAtEnd: Bool {
        // The C function says so of a sink that has not started, too.
        arrivals.hasEnded.load(ordering: .acquiring) && gst_app_sink_is_eos(element.cast()) != 0
    }

    /// Takes the oldest sample that is kept, without waiting (`gst_app_sink_try_pull_sample`).
    public func takeSample() -> Sample? { gst_app_sink_try_pull_sample(element.cast(), 0).map { Sample($0, .full) } }

    /// Waits for a sample; `nil` at the end of the stream, and when the pipeline is stopped or released, or the task
    /// is cancelled.
    ///
    /// A task may wait before the pipeline plays. Samples that came before an error are returned first.
    ///
    /// - Throws: the first error of the pipeline (``Bus/firstError``), whether an end of stream follows it or not.
    public func nextSample() async throws(PipelineError) -> Sample? {
        while !Task.isCancelled {
            let signals = arrivals.wakeup.signals
            // Read before the look for a sample: one that came before the error is there by then.
            let error = bus.firstError
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
        // The sink would hold one more frame for a property that nobody reads: small camera pools miss it.
        try? element.set("enable-last-sample", to: false)
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
    /// The samples, one after the other, until the stream ends, or the pipeline is stopped or released. The sequence
    /// throws the first error of the pipeline.
    public var samples: Samples { Samples(sink: self) }

    /// An async sequence over the samples of an ``AppSink``.
    public struct Samples: AsyncSequence, Sendable {
        let sink: AppSink

        /// Starts to iterate; one task at a time.
        public func makeAsyncIterator() -> Iterator { Iterator(sink: sink) }

        /// Waits for the next sample.
        public struct Iterator: AsyncIteratorProtocol {
            let sink: AppSink

            /// The next sample; `nil` at the end.
            public mutating func next() async throws(PipelineError) -> Sample? { try await sink.nextSample() }

            /// The next sample; `nil` at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(PipelineError) -> Sample? {
                try await sink.nextSample()
            }
        }
    }
}

/// What the streaming thread leaves for the program: it counts, and wakes whoever waits.
private final class Arrivals: Sendable {
    let wakeup = Wakeup()
    let count = Atomic(0)
    let lastTime = Atomic<UInt64>(0)
    let hasEnded = Atomic(false)

    func end() {
        hasEnded.store(true, ordering: .releasing)
        wakeup.signal()
    }

    func note() {
        count.wrappingAdd(1, ordering: .relaxed)
        lastTime.store(PipelineClock.system.now.nanoseconds, ordering: .relaxed)
        wakeup.signal()
    }
}

// Free functions: a closure literal could inherit an actor's isolation and die on a streaming thread.
private func receiveSample(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).takeUnretainedValue().note() }
    return GST_FLOW_OK
}

private func receiveEnd(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).takeUnretainedValue().end() }
}

private func releaseArrivals(_ data: gpointer?) {
    if let data { Unmanaged<Arrivals>.fromOpaque(data).release() }
}
