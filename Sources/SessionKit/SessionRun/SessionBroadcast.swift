// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Sends the events of a session to any number of listeners, each with a separate buffer. A slow listener loses its
/// oldest events, and no other listener waits for it.
final class SessionBroadcast: Sendable {
    private struct State {
        var nextNumber = 1
        var isFinished = false
        var nextListener = 0
        var listeners: [Int: AsyncStream<NumberedSessionEvent>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// The number of the last event; 0 before the first.
    var lastNumber: Int { state.withLock { $0.nextNumber - 1 } }

    /// Sends an event. Returns at once, on any thread.
    func yield(_ event: SessionEvent) {
        // Under the lock, so that each listener gets events in the order of their numbers.
        state.withLock { state in
            guard !state.isFinished else { return }
            let numbered = NumberedSessionEvent(number: state.nextNumber, event: event)
            state.nextNumber += 1
            for listener in state.listeners.values { listener.yield(numbered) }
        }
    }

    /// The events from now on; the stream ends after the last one.
    func listen(buffering capacity: Int) -> AsyncStream<NumberedSessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NumberedSessionEvent.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        let identifier = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let identifier else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(identifier) }
        return stream
    }

    /// Ends all streams.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        // Outside of the lock: onTermination takes it.
        for listener in listeners.values { listener.finish() }
    }

    private func remove(_ identifier: Int) { state.withLock { $0.listeners[identifier] = nil } }
}
