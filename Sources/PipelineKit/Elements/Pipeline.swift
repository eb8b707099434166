// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// Elements that are linked and run together (`GstPipeline`).
///
/// A pipeline runs once: it is made, played, and stopped; to run again, make a new one. It always uses the system's
/// monotonic clock (``PipelineClock/system``), so its times can be compared with those of the program.
///
/// Changes of state can block in a driver. They run on a thread of the pipeline's own, each with a deadline, and never
/// on Swift's cooperative pool. ``stop(deadline:)`` may be called from any thread and any task. Releasing the last
/// reference to a running pipeline stops it in the background, and ends its messages and samples.
public final class Pipeline: Element, @unchecked Sendable {
    /// Where its messages come out.
    public let bus = Bus()

    private let stopped = Mutex(false)
    private let control: ControlQueue

    /// Makes an empty pipeline, to add elements to (`gst_pipeline_new`).
    public static func make(name: String? = nil) throws(PipelineError) -> Pipeline {
        try GStreamer.initialize()
        return Pipeline(taking: gst_pipeline_new(name), .floating)
    }

    init(taking pipeline: UnsafeMutablePointer<GstElement>, _ ownership: Ownership) {
        control = ControlQueue("gst-capture.pipeline")
        super.init(pipeline, ownership)
        gst_pipeline_use_clock(cast(), PipelineClock.system.cast())
        withNativeBus { bus.attach(to: $0) }
    }

    deinit {
        // The last reference may be released on a streaming thread, where a pipeline cannot be stopped.
        stopSoon()
    }

    // MARK: Building

    /// Adds an element (`gst_bin_add`).
    ///
    /// - Throws: ``PipelineError/Code/link`` where it has an element of that name already.
    public func add(_ element: Element) throws(PipelineError) {
        guard gst_bin_add(cast(), element.cast()) != 0 else {
            throw failure(.link, "cannot take the element \(element.name)")
        }
    }

    /// Takes an element out, and ends it in the background (`gst_bin_remove`). Others stay.
    ///
    /// Unlink it first, and block or drop what flows into it.
    public func remove(_ element: Element) {
        guard gst_object_has_as_parent(element.cast(), cast()) != 0, gst_bin_remove(cast(), element.cast()) != 0
        else { return }
        // An element must not die while it runs, and ending it waits for its streaming threads.
        control.run { gst_element_set_state(element.cast(), GST_STATE_NULL) }
    }

    /// The element of this name, inside bins too (`gst_bin_get_by_name`).
    ///
    /// - Throws: ``PipelineError/Code/notFound``.
    public func element(named name: String) throws(PipelineError) -> Element {
        guard let pointer = gst_bin_get_by_name(cast(), name) else {
            throw failure(.notFound, "there is no element \(name)")
        }
        return Element(pointer, .full)
    }

    // MARK: Time

    /// The moment on ``PipelineClock/system`` at which running time is 0; `nil` before it plays
    /// (`gst_element_get_base_time`).
    public var baseTime: ClockTime? {
        // It is 0 until then; the clock itself was at 0 when the machine started.
        ClockTime(gst_element_get_base_time(cast())).flatMap { $0 == .zero ? nil : $0 }
    }

    /// Takes up a change of latency that a message told of (`gst_bin_recalculate_latency`), in the background.
    public func recalculateLatency() {
        // It waits for a change of state that is under way.
        control.run { [self] in _ = gst_bin_recalculate_latency(cast()) }
    }

    // MARK: Running

    /// Starts the flow of data (`gst_element_set_state`).
    ///
    /// It returns when GStreamer has accepted: sources that negotiate late may still fail, which the ``bus`` tells.
    ///
    /// - Throws: the first error that an element reported, or ``PipelineError/Code/stateChange`` where none did;
    ///   ``PipelineError/Code/deadline`` where a driver hangs.
    public func play(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await change(to: .playing, deadline: deadline)
    }

    /// Opens devices and prepares data, without letting it flow.
    ///
    /// - Throws: as ``play(deadline:)``.
    public func pause(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await change(to: .paused, deadline: deadline)
    }

    /// Asks for an end of the stream: sources stop, and what is under way is finished (`gst_event_new_eos`). It returns
    /// when they are told; the ``bus`` tells when all have seen the end.
    ///
    /// - Throws: ``PipelineError/Code/deadline`` where it does not get to play in time, or a source hangs;
    ///   ``PipelineError/Code/flow`` where it does not play, or has no source that takes it.
    public func sendEndOfStream(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        // A thread of its own: stop() must not have to wait for a pipeline that does not get to play.
        let call = "ending the stream"
        try await ControlQueue("gst-capture.end").run(call, within: deadline) { [self] () throws(PipelineError) in
            // Sending it in the middle of a change of state deadlocks GStreamer: the change waits for the event, the
            // event for the streaming thread, and that for the end of the change.
            var state = GST_STATE_NULL
            let change = gst_element_get_state(cast(), &state, nil, GstClockTime(max(0, deadline.nanoseconds)))
            guard change != GST_STATE_CHANGE_ASYNC else { throw .overdue(call, deadline) }
            // A paused sink holds the streaming thread for as long as it is paused: the same deadlock.
            guard change != GST_STATE_CHANGE_FAILURE, state == GST_STATE_PLAYING, !isStopped,
                gst_element_send_event(cast(), gst_event_new_eos()) != 0
            else { throw failure(.flow, "takes no end of the stream") }
        }
    }

    /// Ends it: devices are closed, the bus and every sequence of samples end. A second call waits for the first.
    ///
    /// - Throws: ``PipelineError/Code/deadline`` where a driver hangs; its thread is then lost.
    public func stop(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        defer { bus.close() }
        let native = markStopped() ? Orphan(cast()) : nil
        try await control.run("stopping", within: deadline) { () throws(PipelineError) in native?.stop() }
    }

    /// Ends it in the background, as ``stop(deadline:)`` does: for callbacks, which must not wait.
    public func stopSoon() {
        guard markStopped() else { return }
        let native = Orphan(cast())
        control.run { native.stop() }
        bus.close()
    }

    /// Where it is now, without waiting for a change that is under way.
    public var state: PipelineState {
        var state = GST_STATE_NULL
        gst_element_get_state(cast(), &state, nil, 0)
        return PipelineState(state) ?? .null
    }

    private func change(to state: PipelineState, deadline: Duration) async throws(PipelineError) {
        try await control.run("changing to \(state)", within: deadline) { [self] () throws(PipelineError) in
            // Asked here, after all that was queued before: nothing may start again what stop() has ended.
            guard !isStopped else { throw failure(.stateChange, "was stopped", advice: "make a new pipeline") }
            bus.forgetErrors()
            guard gst_element_set_state(cast(), state.native) == GST_STATE_CHANGE_FAILURE else { return }
            throw bus.firstError ?? failure(.stateChange, "did not change to \(state)")
        }
    }

    private var isStopped: Bool { stopped.withLock { $0 } }

    /// `true` for the first caller, which then stops the pipeline.
    private func markStopped() -> Bool {
        stopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
    }

    private func withNativeBus(_ body: (UnsafeMutablePointer<GstBus>) -> Void) {
        guard let native = gst_element_get_bus(cast()) else { return }
        defer { gst_object_unref(native) }
        body(native)
    }
}

/// A reference to a pipeline that must be stopped on a thread where that may block.
///
/// `@unchecked Sendable`: one pointer, of which this holds a reference of its own until `stop()`.
private struct Orphan: @unchecked Sendable {
    private let pipeline: UnsafeMutablePointer<GstElement>

    init(_ pipeline: UnsafeMutablePointer<GstElement>) {
        gst_object_ref(pipeline)
        self.pipeline = pipeline
    }

    func stop() {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        if let bus = gst_element_get_bus(pipeline) {
            Bus.detach(from: bus)
            gst_object_unref(bus)
        }
        gst_object_unref(pipeline)
    }
}
