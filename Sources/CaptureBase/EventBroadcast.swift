// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// An event with its number: 1 for the first, without gaps. A listener misses numbers if its buffer was full.
public struct NumberedEvent<Event: Sendable>: Sendable {
    /// Counts the events of a source from 1.
    public let number: Int
    /// The event.
    public let event: Event

    package init(number: Int, event: Event) { (self.number, self.event) = (number, event) }
}

/// Sends events to any number of listeners, each with a separate buffer. A slow listener loses its oldest events, and
/// neither the sender nor another listener waits for it.
///
/// The newest events are kept, for listeners that come later or come back. Any thread may use a broadcast.
///
/// Events reach the listeners outside of the lock: an event wakes a task under a lock of that task, and canceling a task
/// runs its handlers under the same lock, which may use the broadcast. So one thread at a time delivers, also the events
/// that other threads emit meanwhile.
package final class EventBroadcast<Event: Sendable>: Sendable {
    /// Converts an event for the buffer of a listener. One thread at a time calls it.
    package typealias Packing = @Sendable (NumberedEvent<Event>) -> NumberedEvent<Event>

    private struct Listener {
        let continuation: AsyncStream<NumberedEvent<Event>>.Continuation
        let pack: Packing
        /// The last event before those that are delivered to the listener.
        var last = 0

        func yield(_ event: NumberedEvent<Event>) {
            if event.number > last { continuation.yield(pack(event)) }
        }
    }

    private struct State {
        var log: RecentEvents<Event>
        var isFinished = false
        var nextListener = 0
        var listeners: [Int: Listener] = [:]
        /// The events that no thread delivers yet.
        var pending: [NumberedEvent<Event>] = []
        /// `true` while a thread delivers events.
        var isDelivering = false

        /// Begins a delivery. Returns `false` if another thread delivers, which then delivers all.
        mutating func beginDelivery() -> Bool {
            defer { isDelivering = true }
            return !isDelivering
        }

        /// Returns what to deliver next; `nil` at the end of the delivery.
        mutating func nextDelivery() -> Delivery? {
            let events = pending
            guard events.isEmpty else {
                pending = []
                return Delivery(events: events, listeners: Array(listeners.values))
            }
            isDelivering = false
            guard isFinished, !listeners.isEmpty else { return nil }
            defer { listeners = [:] }
            return Delivery(events: [], listeners: Array(listeners.values))
        }
    }

    /// Events for listeners; no events for the end of their streams.
    private struct Delivery {
        let events: [NumberedEvent<Event>]
        let listeners: [Listener]

        func perform() {
            if events.isEmpty { for listener in listeners { listener.continuation.finish() } }
            for event in events { for listener in listeners { listener.yield(event) } }
        }
    }

    private let state: Mutex<State>

    /// - Parameter capacity: How many events are kept for later listeners; 0 for none.
    package init(keeping capacity: Int = 10_000) { state = Mutex(State(log: RecentEvents(capacity: capacity))) }

    /// The number of the last event; 0 before the first.
    package var lastNumber: Int { state.withLock { $0.log.lastNumber } }

    /// `true` if all events after a number are kept.
    package func keepsEvents(after number: Int) -> Bool { state.withLock { $0.log.keepsEvents(after: number) } }

    /// Returns the oldest kept events after a number.
    package func events(after number: Int, most: Int) -> [NumberedEvent<Event>] {
        state.withLock { $0.log.events(after: number, most: most) }
    }

    /// Sends an event; does nothing after ``finish()``.
    package func emit(_ event: Event) {
        let delivers = state.withLock { state in
            guard !state.isFinished else { return false }
            state.pending.append(state.log.append(event))
            return state.beginDelivery()
        }
        if delivers { deliver() }
    }

    /// Returns the kept events after a number, and then all later ones. The stream ends after the last event.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows; `nil` for the events from now on.
    ///   - capacity: How many events the listener may be behind before it loses the oldest, kept events included; at
    ///     least 1.
    ///   - pack: Converts each event before it enters the buffer of the listener.
    package func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000, packing pack: @escaping Packing = { $0 }
    ) -> AsyncStream<NumberedEvent<Event>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NumberedEvent<Event>.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        guard let identifier = add(Listener(continuation: continuation, pack: pack), after: number) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(identifier) }
        return stream
    }

    /// Ends all streams.
    package func finish() {
        let delivers = state.withLock { state in
            state.isFinished = true
            return state.beginDelivery()
        }
        if delivers { deliver() }
    }

    private func deliver() { while let delivery = state.withLock({ $0.nextDelivery() }) { delivery.perform() } }

    /// Adds a listener, which no task reads yet. Returns its identifier; `nil` if no more events follow.
    private func add(_ listener: Listener, after number: Int?) -> Int? {
        state.withLock { state in
            if let number { for event in state.log.events(after: number) { listener.yield(event) } }
            guard !state.isFinished else { return nil }
            var listener = listener
            listener.last = state.log.lastNumber
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    private func remove(_ identifier: Int) { state.withLock { $0.listeners[identifier] = nil } }
}

/// The newest events in a ring: the cost of an event does not depend on how many are kept.
struct RecentEvents<Event: Sendable> {
    private let capacity: Int
    /// The event with number n is at (n - 1) % capacity.
    private var ring: [Event] = []
    /// The number of the newest event; 0 before the first.
    private(set) var lastNumber = 0

    init(capacity: Int) { self.capacity = max(0, capacity) }

    mutating func append(_ event: Event) -> NumberedEvent<Event> {
        lastNumber += 1
        if ring.count < capacity {
            ring.append(event)
        } else if capacity > 0 {
            ring[(lastNumber - 1) % capacity] = event
        }
        return NumberedEvent(number: lastNumber, event: event)
    }

    /// `true` if all events with greater numbers are kept.
    func keepsEvents(after number: Int) -> Bool { (lastNumber - ring.count...lastNumber).contains(number) }

    /// Returns the kept events with greater numbers, oldest first, up to a count.
    func events(after number: Int, most: Int = .max) -> [NumberedEvent<Event>] {
        guard number < lastNumber, most > 0, !ring.isEmpty else { return [] }
        let first = max(number, lastNumber - ring.count) + 1
        let last = first + min(most - 1, lastNumber - first)
        return (first...last).map { NumberedEvent(number: $0, event: ring[($0 - 1) % capacity]) }
    }
}
