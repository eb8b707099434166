// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// Where a pipeline's messages come out, as async sequences: no polling, no main loop (`GstBus`).
///
/// What is posted while nobody listens is kept for the next listener. Each listener gets every message from then on,
/// and has a buffer of its own: a slow one loses its oldest messages, but never the first error nor the end of the stream.
public final class Bus: Sendable {
    /// Listens for as long as somebody holds the sequence or its iterator.
    private struct Listener {
        weak var storage: BusMessages.Storage?
    }

    private struct State {
        var listeners: [Listener] = []
        var early = MessageBuffer(limit: 256)
        var firstError: PipelineError?
        var readers: [Wakeup] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    init() {}

    /// The messages from now on, and those that nobody has listened to yet. One task may iterate it.
    ///
    /// It listens from this call on, until nobody holds the sequence and its iterator any more.
    ///
    /// - Parameter limit: How many messages wait for a slow listener before the oldest are dropped.
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

    /// The first error since the last change of state began: why that failed, or the stream ended.
    public var firstError: PipelineError? { state.withLock { $0.firstError } }

    func forgetErrors() { state.withLock { $0.firstError = nil } }

    /// Registers a reader of data: each error signals it, and ``close()`` closes it.
    func register(_ reader: Wakeup) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.readers.append(reader) }
            return state.isClosed
        }
        if isClosed { reader.close() }
    }

    func post(_ message: BusMessage) {
        let readers = state.withLock { state in
            state.listeners.removeAll { $0.storage == nil }
            if state.listeners.isEmpty { state.early.append(message) }
            for listener in state.listeners { listener.storage?.append(message) }
            guard case .error(let error) = message.content else { return [Wakeup]() }
            if state.firstError == nil { state.firstError = error }
            return state.readers
        }
        for reader in readers { reader.signal() }
    }

    /// Ends every sequence of messages, after those that wait in it, and closes every reader.
    func close() {
        let (listeners, readers) = state.withLock { state in
            state.isClosed = true
            defer { state.readers = [] }
            return (state.listeners, state.readers)
        }
        for listener in listeners { listener.storage?.finish() }
        for reader in readers { reader.close() }
    }
}

extension Bus {
    /// Takes every message of a C bus from now on, and those that wait in it already.
    ///
    /// The C bus keeps this object until ``detach(from:)``.
    func attach(to bus: UnsafeMutablePointer<GstBus>) {
        let data = Unmanaged.passRetained(self).toOpaque()
        gst_bus_set_sync_handler(bus, receiveMessage, data, releaseBus)
        while let early = gst_bus_pop(bus) {
            post(BusMessage(copying: early))
            gst_message_unref(early)
        }
    }

    static func detach(from bus: UnsafeMutablePointer<GstBus>) {
        gst_bus_set_sync_handler(bus, nil, nil, nil)
    }
}

// Free functions: a closure literal could inherit an actor's isolation and die on a streaming thread.
private func receiveMessage(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ data: gpointer?
) -> GstBusSyncReply {
    guard let message, let data else { return GST_BUS_PASS }
    Unmanaged<Bus>.fromOpaque(data).takeUnretainedValue().post(BusMessage(copying: message))
    // DROP means that the message is ours to let go.
    gst_message_unref(message)
    return GST_BUS_DROP
}

private func releaseBus(_ data: gpointer?) {
    if let data { Unmanaged<Bus>.fromOpaque(data).release() }
}
