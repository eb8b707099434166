// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// The messages of a ``Bus`` in order. The sequence ends when the pipeline is stopped or released, and when the task
/// that waits is canceled.
public struct BusMessages: AsyncSequence, Sendable {
    private let storage: Storage

    init(_ storage: Storage) { self.storage = storage }

    /// Creates an iterator, for one task at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(storage: storage) }

    /// Waits for the next message.
    public struct Iterator: AsyncIteratorProtocol {
        let storage: Storage

        /// Returns the next message; `nil` at the end.
        public mutating func next() async -> BusMessage? { await storage.next() }

        /// Returns the next message; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> BusMessage? { await storage.next() }
    }
}

extension BusMessages {
    /// The pending messages of one listener.
    final class Storage: Sendable {
        private let buffer: Mutex<MessageBuffer>
        private let wakeup = Wakeup()

        init(limit: Int) { buffer = Mutex(MessageBuffer(limit: limit)) }

        /// `true` if the listener buffers no more messages.
        var isFinished: Bool { buffer.withLock { $0.isFinished } }

        func adopt(_ early: MessageBuffer) {
            buffer.withLock { buffer in
                for message in early.messages { buffer.append(message) }
            }
            wakeup.signal()
        }

        func append(_ message: BusMessage) {
            buffer.withLock { $0.append(message) }
            wakeup.signal()
        }

        func finish() {
            buffer.withLock { $0.isFinished = true }
            wakeup.signal()
        }

        func next() async -> BusMessage? {
            while !Task.isCancelled {
                let signals = wakeup.signals
                switch buffer.withLock({ $0.take() }) {
                case .message(let message): return message
                case .finished: return nil
                case .nothingYet: await wakeup.wait(after: signals)
                }
            }
            // A canceled listener buffers no more messages.
            finish()
            return nil
        }
    }
}

/// Pending messages, oldest first.
///
/// At its limit, it drops the oldest message that is neither an error nor the end of the stream. If there is none, it
/// drops the latest message. The first error and the first end of stream always stay, even beyond the limit.
struct MessageBuffer {
    enum Taken {
        case message(BusMessage)
        case nothingYet
        case finished
    }

    let limit: Int
    private(set) var messages: [BusMessage] = []
    var isFinished = false

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func append(_ message: BusMessage) {
        guard !isFinished else { return }
        messages.append(message)
        guard messages.count > limit, let index = dispensable else { return }
        messages.remove(at: index)
    }

    /// The index of the message to drop first; `nil` if all must stay.
    private var dispensable: Int? {
        if let oldest = messages.firstIndex(where: { !$0.isFinal }) { return oldest }
        let (firstError, firstEnd) = (messages.firstIndex { $0.isError }, messages.firstIndex { !$0.isError })
        return messages.indices.last { $0 != firstError && $0 != firstEnd }
    }

    mutating func take() -> Taken {
        guard messages.isEmpty else { return .message(messages.removeFirst()) }
        return isFinished ? .finished : .nothingYet
    }
}
