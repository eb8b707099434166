// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization
import SystemBase

/// Elements that are linked and run together (`GstPipeline`).
///
/// A pipeline runs once: create it, play it, stop it; to run again, create a new one. It always uses the system's
/// monotonic clock (``PipelineClock/system``), so its times can be compared with the program's times.
///
/// State changes can block in a driver. They run one after the other on the pipeline's queue, each with a deadline, and
/// never on Swift's cooperative pool. A change whose deadline expires is not withdrawn: call ``stop(deadline:)``, which
/// any task may call at any time. Releasing the last reference to a running pipeline stops it in the background, and
/// ends its messages and samples.
public final class Pipeline: Element, @unchecked Sendable {
    /// The pipeline's messages.
    public let bus = Bus()

    private let stopped = Mutex(false)
    private let control: ControlQueue

    /// Creates an empty pipeline, to which the caller adds elements (`gst_pipeline_new`).
    ///
    /// - Throws: ``PipelineError/Code/initialization``.
    public static func make(name: String? = nil) throws(PipelineError) -> Pipeline {
        try GStreamer.initialize()
        return Pipeline(taking: gst_pipeline_new(name), .floating)
    }

    /// Not available: an element is not a pipeline. Without this declaration, `Pipeline.make("main")` would create an
    /// element of the kind `main`.
    @available(*, unavailable, message: "write Pipeline.make(name:), or Element.make(_:name:) for an element")
    public override class func make(_ factory: String, name: String? = nil) throws(PipelineError) -> Element {
        try Element.make(factory, name: name)
    }

    init(taking pipeline: UnsafeMutablePointer<GstElement>, _ ownership: Ownership) {
        control = ControlQueue("gst-capture.pipeline")
        super.init(pipeline, ownership)
        gst_pipeline_use_clock(cast(), PipelineClock.system.cast())
        bus.belong(to: self)
        withNativeBus { bus.attach(to: $0) }
    }

    deinit {
        // The last reference may be released on a streaming thread, which cannot stop a pipeline.
        stopSoon()
    }

    // MARK: Building

    /// Adds an element (`gst_bin_add`).
    ///
    /// - Throws: ``PipelineError/Code/link`` if the pipeline already has an element of that name, or a pipeline or bin
    ///   contains the element already.
    public func add(_ element: Element) throws(PipelineError) {
        guard gst_bin_add(cast(), element.cast()) != 0 else {
            throw failure(.link, "cannot add the element \(element.name)")
        }
    }

    /// Removes an element, and stops it in the background (`gst_bin_remove`). Other elements stay.
    ///
    /// Unlink the element first, and block or drop the data that flows into it. An element that is added to a pipeline
    /// again before the stop keeps its state. A source can start again only after the stop: wait until its
    /// ``Element/state`` is ``PipelineState/null``. The call has no effect on an element of a bin in the pipeline.
    public func remove(_ element: Element) {
        guard gst_object_has_as_parent(element.cast(), cast()) != 0, gst_bin_remove(cast(), element.cast()) != 0
        else { return }
        // An element must not be freed while it runs, and stopping it waits for its streaming threads.
        control.run { element.stopIfRemoved() }
    }

    /// Returns the element of this name, also from nested bins (`gst_bin_get_by_name`).
    ///
    /// - Throws: ``PipelineError/Code/notFound``.
    public func element(named name: String) throws(PipelineError) -> Element {
        guard !name.utf8.contains(0), let pointer = gst_bin_get_by_name(cast(), name) else {
            throw failure(.notFound, "there is no element \(name)")
        }
        return Element(pointer, .full)
    }

    // MARK: Time

    /// The moment on ``PipelineClock/system`` at which running time is 0; `nil` before the pipeline plays
    /// (`gst_element_get_base_time`).
    public var baseTime: ClockTime? {
        // The base time is 0 before the pipeline plays. The clock itself was at 0 only when the machine started.
        ClockTime(gst_element_get_base_time(cast())).flatMap { $0 == .zero ? nil : $0 }
    }

    /// Applies, in the background, a latency change that a message reported (`gst_bin_recalculate_latency`).
    public func recalculateLatency() {
        // The call waits for a pending state change.
        control.run { [self] in _ = gst_bin_recalculate_latency(cast()) }
    }

    // MARK: Running

    /// Starts the flow of data (`gst_element_set_state`).
    ///
    /// Returns when GStreamer has accepted the state change. Sources that negotiate late can still fail; the ``bus``
    /// reports such errors.
    ///
    /// - Throws: The first error that an element reported during the change; ``PipelineError/Code/stateChange`` if no
    ///   element reported one, or the pipeline was stopped; ``PipelineError/Code/deadline`` if a driver hangs.
    public func play(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await change(to: .playing, deadline: deadline)
    }

    /// Opens devices and prepares data, without letting the data flow.
    ///
    /// - Throws: The errors of ``play(deadline:)``.
    public func pause(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await change(to: .paused, deadline: deadline)
    }

    /// Requests the end of the stream: sources stop, and elements process the data in flight (`gst_event_new_eos`).
    /// Returns when the sources have the event; the ``bus`` reports when all sinks have seen the end.
    ///
    /// - Throws: ``PipelineError/Code/deadline`` if the pipeline does not reach the playing state in time, or a source
    ///   hangs; ``PipelineError/Code/flow`` if the pipeline does not play, or has no source that accepts the event.
    public func sendEndOfStream(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        // A separate thread: stop() must not wait for a pipeline that does not reach the playing state.
        let call = "ending the stream"
        try await ControlQueue("gst-capture.end").run(call, within: deadline) { [self] () throws(PipelineError) in
            // Sending the event during a state change deadlocks GStreamer: the change waits for the event, the event
            // for the streaming thread, and the streaming thread for the end of the change.
            var state = GST_STATE_NULL
            let change = gst_element_get_state(cast(), &state, nil, GstClockTime(max(0, deadline.nanoseconds)))
            guard change != GST_STATE_CHANGE_ASYNC else { throw .unsettled(call, deadline) }
            // A paused sink blocks the streaming thread while it is paused, which causes the same deadlock.
            guard change != GST_STATE_CHANGE_FAILURE, state == GST_STATE_PLAYING, !isStopped,
                gst_element_send_event(cast(), gst_event_new_eos()) != 0
            else { throw failure(.flow, "does not accept the end of the stream") }
        }
    }

    /// Stops the pipeline: closes the devices, and ends the bus and every sequence of samples.
    ///
    /// The stop waits for a state change in progress; a pending ``play(deadline:)`` throws. A second call waits for the
    /// first.
    ///
    /// - Throws: ``PipelineError/Code/deadline`` if a driver hangs; the thread of the call is then lost. The bus and
    ///   the sequences have ended even then.
    public func stop(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        defer { bus.close() }
        queueStop()
        try await control.run("stopping", within: deadline) { () throws(PipelineError) in }
    }

    /// Stops the pipeline in the background, as ``stop(deadline:)`` does: for callbacks, which must not wait.
    public func stopSoon() {
        if queueStop() { bus.close() }
    }

    /// Changes the state of one element of the pipeline or of its bins (`gst_element_set_state`).
    ///
    /// The next change of the pipeline's state applies to the element, too. Returns when the element has accepted the
    /// change.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the pipeline does not contain the element; the first error that the
    ///   element, or an element inside it, reported during the change; ``PipelineError/Code/stateChange`` if none
    ///   reported one, or the pipeline was stopped; ``PipelineError/Code/deadline`` if a driver hangs.
    public func setState(
        of element: Element, to state: PipelineState, deadline: Duration = .seconds(10)
    ) async throws(PipelineError) {
        guard element != self, gst_object_has_as_ancestor(element.cast(), cast()) != 0 else {
            throw element.failure(.notFound, "is not in the pipeline \(name)")
        }
        let call = "changing \(element.name) to \(state)"
        try await control.run(call, within: deadline) { [self] () throws(PipelineError) in
            guard !isStopped else { throw failure(.stateChange, "was stopped", advice: "make a new pipeline") }
            try change(element, to: state)
        }
    }

    /// Changes the state of an element on the calling thread. Errors of other elements, and earlier ones, are not the
    /// reason of a failure.
    private func change(_ element: Element, to state: PipelineState) throws(PipelineError) {
        let firstError = Mutex<PipelineError?>(nil)
        let handler = bus.handleSynchronously { message, source in
            guard case .error(let error) = message.content, let source,
                gst_object_has_as_ancestor(source.cast(), element.cast()) != 0
            else { return }
            firstError.withLock { $0 = $0 ?? error }
        }
        defer { handler.remove() }
        guard gst_element_set_state(element.cast(), state.native) == GST_STATE_CHANGE_FAILURE else { return }
        throw firstError.withLock { $0 } ?? element.failure(.stateChange, "did not change to \(state)")
    }

    private func change(to state: PipelineState, deadline: Duration) async throws(PipelineError) {
        try await control.run("changing to \(state)", within: deadline) { [self] () throws(PipelineError) in
            // Checked on the queue, after all earlier calls: a pipeline that stop() has stopped must not start again.
            guard !isStopped else { throw failure(.stateChange, "was stopped", advice: "make a new pipeline") }
            bus.failure.forget()
            guard gst_element_set_state(cast(), state.native) == GST_STATE_CHANGE_FAILURE else { return }
            throw bus.firstError ?? failure(.stateChange, "did not change to \(state)")
        }
    }

    private var isStopped: Bool { stopped.withLock { $0 } }

    /// Queues the stop at the first call. The lock ensures that work queued after any call runs after the stop.
    ///
    /// - Returns: `true` at the first call.
    @discardableResult
    private func queueStop() -> Bool {
        stopped.withLock { stopped in
            guard !stopped else { return false }
            stopped = true
            let native = Orphan(cast())
            control.run { native.stop() }
            return true
        }
    }

    private func withNativeBus(_ body: (UnsafeMutablePointer<GstBus>) -> Void) {
        guard let native = gst_element_get_bus(cast()) else { return }
        defer { gst_object_unref(native) }
        body(native)
    }
}

extension Pipeline {
    /// Returns a graph of the elements and their links in the language of Graphviz, for `dot -Tsvg`
    /// (`gst_debug_bin_to_dot_data`).
    ///
    /// The call locks one element after the other, and reads its properties: do not make it in a probe or in a handler
    /// of a signal. A property can contain a secret, such as a password in a URL.
    ///
    /// - Parameter details: The details in the graph.
    public func graph(_ details: GraphDetails = .all) -> String {
        let native = GstDebugGraphDetails(rawValue: .init(truncatingIfNeeded: details.rawValue))
        return gst_debug_bin_to_dot_data(cast(), native).map { String(consuming: $0) } ?? ""
    }
}

/// The details in the graph of a pipeline (`GstDebugGraphDetails`).
public struct GraphDetails: OptionSet, Sendable, Hashable {
    /// GStreamer's bits.
    public let rawValue: UInt32

    /// Creates details from GStreamer's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ details: GstDebugGraphDetails) { rawValue = UInt32(truncatingIfNeeded: details.rawValue) }

    /// The media type on each link.
    public static let mediaTypes = GraphDetails(GST_DEBUG_GRAPH_SHOW_MEDIA_TYPE)
    /// The caps on each link.
    public static let caps = GraphDetails(GST_DEBUG_GRAPH_SHOW_CAPS_DETAILS)
    /// The properties that do not have their default values.
    public static let changedProperties = GraphDetails(GST_DEBUG_GRAPH_SHOW_NON_DEFAULT_PARAMS)
    /// The state of each element.
    public static let states = GraphDetails(GST_DEBUG_GRAPH_SHOW_STATES)
    /// The whole values of properties, even if they are long.
    public static let wholeValues = GraphDetails(GST_DEBUG_GRAPH_SHOW_FULL_PARAMS)
    /// All of the above except ``wholeValues``.
    public static let all = GraphDetails(GST_DEBUG_GRAPH_SHOW_ALL)
}

extension Element {
    /// Stops the element, unless a pipeline contains it again.
    ///
    /// The lock spans the check and the stop: if the element is added in between, the change to its new state waits.
    fileprivate func stopIfRemoved() {
        cgst_element_lock_state(cast())
        defer { cgst_element_unlock_state(cast()) }
        if parent == nil { gst_element_set_state(cast(), GST_STATE_NULL) }
    }
}

/// A reference to a pipeline that must be stopped on a thread that may block.
///
/// `@unchecked Sendable`: one pointer, with a separate reference that `stop()` releases.
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
