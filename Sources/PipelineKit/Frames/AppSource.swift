// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization
import SystemBase

/// The start of a pipeline, into which the program pushes data (`GstAppSrc`).
public final class AppSource: Sendable {
    /// The element, for its properties and pads.
    public let element: Element

    private let failure: FirstError
    private let demand = Demand()

    /// Creates a source for an `appsrc` of a pipeline.
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - pipeline: The pipeline of the element.
    ///   - caps: The format of the data; `nil` keeps the caps of the description.
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such element, or it is not an appsrc.
    public init(named name: String, in pipeline: Pipeline, caps: Caps? = nil) throws(PipelineError) {
        element = try pipeline.element(named: name)
        failure = pipeline.bus.failure
        guard g_type_check_instance_is_a(element.cast(), gst_app_src_get_type()) != 0 else {
            throw element.failure(.notFound, "is not an appsrc")
        }
        try element.set("format", to: "time")
        if let caps { setCaps(caps) }
        pipeline.bus.register(demand.wakeup)
    }

    /// Sets the format of the data that follows (`gst_app_src_set_caps`).
    public func setCaps(_ caps: Caps) { gst_app_src_set_caps(element.cast(), caps.pointer) }

    /// Pushes a buffer (`gst_app_src_push_buffer`). This does not wait: data that the pipeline has not consumed is
    /// queued, by default without a limit; ``waitForDemand()`` limits the queue.
    ///
    /// - Throws: ``PipelineError/Code/flow`` if the pipeline accepts no data: it is stopped, flushing, or at its end.
    public func push(_ buffer: Buffer) throws(PipelineError) {
        gst_buffer_ref(buffer.pointer)
        try check(gst_app_src_push_buffer(element.cast(), buffer.pointer))
    }

    /// Pushes a sample with its caps (`gst_app_src_push_sample`).
    ///
    /// - Throws: The errors of ``push(_:)-(Buffer)``.
    public func push(_ sample: Sample) throws(PipelineError) {
        try check(gst_app_src_push_sample(element.cast(), sample.pointer))
    }

    /// Pushes a sample of another pipeline with its caps, stamped with the current running time of this pipeline.
    ///
    /// The times of one pipeline mean nothing in another. The call does not copy the data, and does not wait. If this
    /// pipeline accepts no data, the sample is discarded. Streaming threads may call this: see ``FrameBridge``.
    public func relay(_ sample: Sample) {
        guard let buffer = gst_sample_get_buffer(sample.pointer) else { return }
        if let caps = gst_sample_get_caps(sample.pointer) { gst_app_src_set_caps(element.cast(), caps) }
        // The new times need a separate buffer, because the original may have other holders.
        let stamped = gst_buffer_copy(buffer)
        stamped?.pointee.pts = runningTime
        stamped?.pointee.dts = cgst_clock_time_none
        _ = gst_app_src_push_buffer(element.cast(), stamped)
    }

    /// Pushes a sample of another pipeline with its caps, stamped with the running time of this pipeline at a moment on
    /// ``PipelineClock/system``: usually the moment at which the sample was captured.
    ///
    /// Otherwise like ``relay(_:)``, which stamps samples with their arrival.
    ///
    /// - Parameter caps: The format of the data; `nil` for the caps of the sample.
    /// - Returns: `false` if the pipeline does not play yet, or did not at this moment, or accepts no data. The sample is
    ///   then discarded.
    package func relay(_ sample: Sample, caps: Caps? = nil, at moment: ClockTime) -> Bool {
        let base = gst_element_get_base_time(element.cast())
        guard let buffer = gst_sample_get_buffer(sample.pointer), base != 0, base != cgst_clock_time_none,
            moment.nanoseconds >= base, let stamped = gst_buffer_copy(buffer)
        else { return false }
        if let caps = caps?.pointer ?? gst_sample_get_caps(sample.pointer) {
            gst_app_src_set_caps(element.cast(), caps)
        }
        stamped.pointee.pts = GstClockTime(moment.nanoseconds) - base
        stamped.pointee.dts = cgst_clock_time_none
        return gst_app_src_push_buffer(element.cast(), stamped) == GST_FLOW_OK
    }

    /// The number of buffers that were pushed, but have not left the source (`gst_app_src_get_current_level_buffers`).
    package var pendingCount: Int { Int(clamping: gst_app_src_get_current_level_buffers(element.cast())) }

    /// `GST_CLOCK_TIME_NONE` before the pipeline plays.
    private var runningTime: GstClockTime {
        let base = gst_element_get_base_time(element.cast())
        let now = GstClockTime(PipelineClock.system.now.nanoseconds)
        return base == 0 || base == cgst_clock_time_none || now < base ? cgst_clock_time_none : now - base
    }

    /// Ends the stream: no data follows (`gst_app_src_end_of_stream`).
    ///
    /// - Throws: ``PipelineError/Code/flow``.
    public func endStream() throws(PipelineError) {
        try check(gst_app_src_end_of_stream(element.cast()))
        demand.end()
    }

    /// Reports on the bus that the source cannot deliver more data (`gst_element_message_full`), and ends the stream.
    package func fail(_ text: String) {
        gst_element_message_full(
            element.cast(), GST_MESSAGE_ERROR, gst_resource_error_quark(), gint(GST_RESOURCE_ERROR_READ.rawValue),
            g_strdup(text), nil, "AppSource.swift", "fail", 0)
        try? endStream()
    }

    /// Waits until the pipeline needs data (the signals `need-data` and `enough-data`). Returns `true` then; `false`
    /// after ``endStream()``, when the pipeline is stopped or released, and when the task is canceled.
    ///
    /// The queue takes data until it exceeds one of the element's properties `max-bytes`, `max-buffers` and `max-time`,
    /// and again when it is empty. A producer that waits before each buffer exceeds these limits by at most one buffer:
    ///
    ///     while try await source.waitForDemand(), let buffer = try nextBuffer() { try source.push(buffer) }
    ///
    /// - Throws: The first error of the pipeline (``Bus/firstError``).
    public func waitForDemand() async throws(PipelineError) -> Bool {
        try listen()
        while !Task.isCancelled {
            let signals = demand.wakeup.signals
            if let error = failure.error { throw error }
            if demand.hasEnded || demand.wakeup.isClosed { return false }
            if demand.isPresent || isHungry { return true }
            await demand.wakeup.wait(after: signals)
        }
        return false
    }

    /// `true` if the queue is empty while the source runs. The signals alone do not suffice: if the queue empties while
    /// a push reports that it is full, they can come in the wrong order. A stop empties the queue, too.
    private var isHungry: Bool {
        let native: UnsafeMutablePointer<GstElement> = element.cast()
        return native.pointee.target_state.rawValue >= GST_STATE_PAUSED.rawValue
            && gst_app_src_get_current_level_buffers(element.cast()) == 0
    }

    /// Connects the signals once. Callbacks (`gst_app_src_set_callbacks`) would replace the program's own handlers.
    private func listen() throws(PipelineError) {
        guard demand.isFirstWait() else { return }
        try element.set("emit-signals", to: true)
        try element.connect("enough-data") { [demand] _ in
            demand.isPresent = false
            return nil
        }
        try element.connect("need-data") { [demand] _ in
            demand.isPresent = true
            return nil
        }
    }

    private func check(_ flow: GstFlowReturn) throws(PipelineError) {
        guard flow != GST_FLOW_OK else { return }
        let reason = gst_flow_get_name(flow).map { String(cString: $0) } ?? "\(flow.rawValue)"
        throw element.failure(.flow, "does not accept data: \(reason)")
    }
}

/// The state that the threads of a source share with the tasks that wait for demand.
private final class Demand: Sendable {
    let wakeup = Wakeup()
    // At first, a source needs data. If its queue is full already, the next push reports it.
    private let isNeeded = Atomic(true)
    private let isOver = Atomic(false)
    private let isConnected = Atomic(false)

    var isPresent: Bool {
        get { isNeeded.load(ordering: .acquiring) }
        set {
            isNeeded.store(newValue, ordering: .releasing)
            if newValue { wakeup.signal() }
        }
    }

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    func end() {
        isOver.store(true, ordering: .releasing)
        wakeup.signal()
    }

    /// Returns `true` to the first caller.
    func isFirstWait() -> Bool { !isConnected.exchange(true, ordering: .acquiringAndReleasing) }
}
