// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// A pipeline's messages as async sequences, without polling or a main loop (`GstBus`).
///
/// While there is no listener, the newest 256 messages are kept for the next one. Each listener receives every later
/// message, and has a separate buffer: a slow listener loses its oldest messages, but never the first error or the end
/// of the stream.
public final class Bus: Sendable {
    /// A listener, which receives messages while the program holds the sequence or its iterator, until the task that
    /// waits is canceled.
    private struct Listener {
        weak var storage: BusMessages.Storage?
    }

    /// A reader of data, which holds its wakeup itself.
    private struct Reader {
        weak var wakeup: Wakeup?
    }

    private struct Handler {
        let number: Int
        let body: @Sendable (BusMessage, Object?) -> Void
    }

    private struct State {
        var listeners: [Listener] = []
        var early = MessageBuffer(limit: 256)
        var readers: [Reader] = []
        var handlers: [Handler] = []
        var handlerCount = 0
        var isClosed = false
    }

    /// The first error, for readers of data.
    let failure = FirstError()
    private let state = Mutex(State())

    init() {}

    /// Returns the messages from now on, after those that no listener has received yet. One task may iterate the
    /// sequence.
    ///
    /// The sequence receives messages from this call on, until the program releases it and its iterator, or the task
    /// that waits for a message is canceled.
    ///
    /// - Parameter limit: The number of messages that are buffered for a slow listener before the oldest are dropped.
    public func messages(bufferingNewest limit: Int = 256) -> BusMessages {
        let storage = BusMessages.Storage(limit: limit)
        let isClosed = state.withLock { state in
            storage.adopt(state.early)
            state.early = MessageBuffer(limit: state.early.limit)
            state.listeners.append(Listener(storage: storage))
            return state.isClosed
        }
        if isClosed { storage.finish() }
        return BusMessages(storage)
    }

    /// The first error since the last ``Pipeline/play(deadline:)`` or ``Pipeline/pause(deadline:)`` began: the reason
    /// why that change failed or the stream ended. ``Pipeline/setState(of:to:deadline:)`` and a stop keep it.
    public var firstError: PipelineError? { failure.error }

    /// Registers a reader of data, without retaining it: each error signals it, and ``close()`` closes it. A second
    /// registration has no effect.
    func register(_ reader: Wakeup) {
        let isClosed = state.withLock { state in
            state.readers.removeAll { $0.wakeup == nil || $0.wakeup === reader }
            if !state.isClosed { state.readers.append(Reader(wakeup: reader)) }
            return state.isClosed
        }
        if isClosed { reader.close() }
    }

    /// Calls `body` with each message on the thread that posts it, before the message reaches the listeners
    /// (`gst_bus_set_sync_handler`).
    ///
    /// This is for messages that an element expects to be handled before it continues: a sink that needs a window
    /// (``BusMessage/isWindowRequest``), and an element that needs a context (``BusMessage/Content/needContext(_:)``).
    /// The second argument is the object that posted the message, usually an ``Element``; `nil` if there is none.
    ///
    /// `body` often runs on a streaming thread, and several threads may call it at once. It must not wait, or change a
    /// state. The bus keeps it until ``BusHandler/remove()``, or until the pipeline is stopped or released: capture the
    /// pipeline weakly. Releasing the returned handle does not remove it.
    @discardableResult
    public func handleSynchronously(_ body: @escaping @Sendable (BusMessage, Object?) -> Void) -> BusHandler {
        let number = state.withLock { state in
            state.handlerCount += 1
            if !state.isClosed { state.handlers.append(Handler(number: state.handlerCount, body: body)) }
            return state.handlerCount
        }
        return BusHandler(self, number)
    }

    fileprivate func removeHandler(_ number: Int) {
        // Released outside of the lock: the closure may hold objects that use the bus when they end.
        let old = state.withLock { state in
            defer { state.handlers.removeAll { $0.number == number } }
            return state.handlers
        }
        withExtendedLifetime(old) {}
    }

    /// Passes a C message, which the caller still owns, to the handlers and then to the listeners.
    fileprivate func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        let copy = BusMessage(copying: message)
        let handlers = state.withLock { $0.handlers }
        if !handlers.isEmpty {
            let source = cgst_message_source(message).map { Object.wrapping($0, .none) }
            // Outside of the lock: a handler may use the bus.
            for handler in handlers { handler.body(copy, source) }
        }
        post(copy)
    }

    func post(_ message: BusMessage) {
        let readers = state.withLock { state in
            state.listeners.removeAll { $0.storage?.isFinished ?? true }
            if state.listeners.isEmpty { state.early.append(message) }
            for listener in state.listeners { listener.storage?.append(message) }
            guard case .error(let error) = message.content else { return [Wakeup]() }
            failure.record(error)
            return state.readers.compactMap { $0.wakeup }
        }
        for reader in readers { reader.signal() }
    }

    /// Ends every sequence of messages, after its buffered messages, closes every reader, and releases every handler.
    func close() {
        let old = state.withLock { state in
            defer { (state.readers, state.handlers, state.isClosed) = ([], [], true) }
            return (listeners: state.listeners, readers: state.readers, handlers: state.handlers)
        }
        for listener in old.listeners { listener.storage?.finish() }
        for reader in old.readers { reader.wakeup?.close() }
    }
}

/// The first error that a pipeline reported.
///
/// Readers of data hold it instead of the bus. Messages on the bus hold elements, such as the owner of a stream's
/// status, and a signal handler of an element may hold a reader: with the bus in between, none of them would be freed.
final class FirstError: Sendable {
    private let first = Mutex<PipelineError?>(nil)

    var error: PipelineError? { first.withLock { $0 } }

    func record(_ error: PipelineError) { first.withLock { $0 = $0 ?? error } }

    func forget() { first.withLock { $0 = nil } }
}

/// A handler of a ``Bus``; see ``Bus/handleSynchronously(_:)``.
public final class BusHandler: Sendable {
    private let bus: Bus
    private let number: Int

    fileprivate init(_ bus: Bus, _ number: Int) { (self.bus, self.number) = (bus, number) }

    /// Removes the handler, and releases its closure. A run in progress on another thread may end after this returns. A
    /// second call has no effect, nor does a call after the end of the pipeline.
    public func remove() { bus.removeHandler(number) }
}

extension Bus {
    private static let key = g_quark_from_string("gst-capture-bus")

    /// Makes this the bus of a pipeline, for ``ofPipeline(containing:)``. The C pipeline retains it.
    func belong(to pipeline: Pipeline) {
        g_object_set_qdata_full(pipeline.cast(), Bus.key, Unmanaged.passRetained(self).toOpaque(), releaseBus)
    }

    /// Returns the bus of the pipeline that contains an element or a pad at any depth; `nil` if there is none.
    static func ofPipeline(containing object: Object) -> Bus? {
        if let parent = gst_object_get_parent(object.cast()) { return ofPipeline(containing: Object(parent, .full)) }
        return g_object_get_qdata(object.cast(), key).map { Unmanaged<Bus>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension Bus {
    /// Receives every message of a C bus from now on, and those that are pending in it.
    ///
    /// The C bus retains this object until ``detach(from:)``.
    func attach(to bus: UnsafeMutablePointer<GstBus>) {
        let data = Unmanaged.passRetained(self).toOpaque()
        gst_bus_set_sync_handler(bus, receiveMessage, data, releaseBus)
        while let early = gst_bus_pop(bus) {
            receive(early)
            gst_message_unref(early)
        }
    }

    static func detach(from bus: UnsafeMutablePointer<GstBus>) {
        gst_bus_set_sync_handler(bus, nil, nil, nil)
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func receiveMessage(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ data: gpointer?
) -> GstBusSyncReply {
    guard let message, let data else { return GST_BUS_PASS }
    Unmanaged<Bus>.fromOpaque(data).takeUnretainedValue().receive(message)
    // GST_BUS_DROP makes this handler the owner of the message.
    gst_message_unref(message)
    return GST_BUS_DROP
}

private func releaseBus(_ data: gpointer?) {
    if let data { Unmanaged<Bus>.fromOpaque(data).release() }
}
