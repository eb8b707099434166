// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The events of a capture from the first on, for one task; see ``CaptureController/events``.
///
/// If the output is ``CaptureConfiguration/Output/caller``, events wait with the bytes of their pictures. While no task
/// iterates the sequence, the newest pictures wait in up to ``CaptureConfiguration/heldBytes``, but at least one. Older
/// events stay, without their ``Still/bytes``.
public struct CaptureEvents: AsyncSequence, Sendable {
    private let stream: AsyncStream<NumberedEvent<CaptureEvent>>
    private let pictures: WaitingPictures

    init(_ broadcast: EventBroadcast<CaptureEvent>, heldBytes: Int) {
        let pictures = WaitingPictures(heldBytes: heldBytes)
        self.pictures = pictures
        stream = broadcast.listen(buffering: WaitingPictures.mostEvents) { pictures.pack($0) }
    }

    /// Creates an iterator, for one task at a time. While it exists, all pictures wait for it.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(stream, pictures)) }

    /// Waits for the next event.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: Reader

        /// Returns the next event; `nil` at the end, or if the task is canceled.
        public mutating func next() async -> CaptureEvent? { await reader.next() }

        /// Returns the next event; `nil` at the end, or if the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CaptureEvent? { await reader.next() }
    }

    /// A task that iterates the events, until it releases its iterator.
    final class Reader: Sendable {
        private let stream: AsyncStream<NumberedEvent<CaptureEvent>>
        private let pictures: WaitingPictures

        init(_ stream: AsyncStream<NumberedEvent<CaptureEvent>>, _ pictures: WaitingPictures) {
            (self.stream, self.pictures) = (stream, pictures)
            pictures.addReader()
        }

        deinit { pictures.removeReader() }

        func next() async -> CaptureEvent? {
            // The loops of a stream share its buffer.
            for await event in stream { return pictures.unpack(event) }
            return nil
        }
    }
}

/// The bytes of the pictures whose events wait for a task.
final class WaitingPictures: Sendable {
    /// How many events may wait: the buffer drops the oldest.
    static let mostEvents = 4096

    private struct State {
        /// The pictures with the numbers of their events, oldest first.
        var pictures: [(number: Int, bytes: [UInt8])] = []
        var byteCount = 0
        var readers = 0

        mutating func append(_ bytes: [UInt8], number: Int) {
            pictures.append((number, bytes))
            byteCount += bytes.count
        }

        mutating func removeFirst() -> [UInt8] {
            let bytes = pictures.removeFirst().bytes
            byteCount -= bytes.count
            return bytes
        }

        /// Removes the pictures of all events before this one.
        mutating func removeAll(before number: Int) {
            while let first = pictures.first, first.number < number { _ = removeFirst() }
        }

        /// Removes the oldest pictures if no task waits for them.
        mutating func trim(to limit: Int) {
            while readers == 0, byteCount > limit, pictures.count > 1 { _ = removeFirst() }
        }
    }

    private let heldBytes: Int
    private let state = Mutex(State())

    init(heldBytes: Int) { self.heldBytes = heldBytes }

    /// Returns the event without the bytes of its picture, which wait here.
    func pack(_ event: NumberedEvent<CaptureEvent>) -> NumberedEvent<CaptureEvent> {
        guard case .captured(var still) = event.event, let bytes = still.bytes else { return event }
        still.bytes = nil
        state.withLock { state in
            state.removeAll(before: event.number - Self.mostEvents + 1)
            state.append(bytes, number: event.number)
            state.trim(to: heldBytes)
        }
        return NumberedEvent(number: event.number, event: .captured(still))
    }

    /// Returns the event with the bytes of its picture, if they are still here. Earlier events do not come again.
    func unpack(_ event: NumberedEvent<CaptureEvent>) -> CaptureEvent {
        let bytes = state.withLock { state -> [UInt8]? in
            state.removeAll(before: event.number)
            return state.pictures.first?.number == event.number ? state.removeFirst() : nil
        }
        guard case .captured(var still) = event.event, let bytes else { return event.event }
        still.bytes = bytes
        return .captured(still)
    }

    /// Keeps all pictures from now on.
    func addReader() { state.withLock { $0.readers += 1 } }

    /// Keeps only the newest pictures again, if that was the last reader.
    func removeReader() {
        state.withLock { state in
            state.readers -= 1
            state.trim(to: heldBytes)
        }
    }
}
