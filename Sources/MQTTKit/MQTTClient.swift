// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CMosquitto
import Glibc
import Synchronization

/// A client of an MQTT broker (libmosquitto), which reconnects until it is stopped.
///
/// Any task may call a client; no call waits for the network except ``run()`` and ``deliver(_:)``. All calls into
/// libmosquitto are on one thread, which the client starts. It uses MQTT 5, and MQTT 3.1.1 if the broker does not know
/// that. Messages wait in a queue until the broker has acknowledged them, also while there is no connection.
///
///     var configuration = MQTTConfiguration(host: "localhost", port: 1883)
///     configuration.subscriptions = ["lamp/set"]
///     let client = MQTTClient(configuration)
///     async let end: Void = client.run()
///     client.publish(MQTTMessage("lamp/state", "ON", isRetained: true))
///     for await message in client.messages { print(message.topic, message.text ?? "") }
public final class MQTTClient: Sendable {
    /// A change of the connection.
    public enum ConnectionEvent: Sendable, Hashable {
        /// The broker accepted the connection, and the client has requested its subscriptions.
        case connected
        /// There is no connection. The client tries again.
        ///
        /// - Parameter reason: The reason in words, without credentials.
        case disconnected(reason: String)
    }

    /// Numbers of a client since its creation.
    public struct Statistics: Sendable, Hashable {
        /// `true` if there is a connection.
        public var isConnected = false
        /// The number of messages that wait to be sent, or for their acknowledgment.
        public var queued = 0
        /// The number of messages that the broker acknowledged.
        public var delivered = 0
        /// The number of messages that were not delivered: the queue was full, or the broker refused them.
        public var dropped = 0
        /// The number of messages that arrived.
        public var received = 0
        /// The number of messages that arrived while nothing read ``MQTTClient/messages``, and were discarded.
        public var discarded = 0
    }

    private enum Order {
        case run
        /// Send the queue, at most until this moment, and end.
        case finish(ContinuousClock.Instant)
        case abort
    }

    private struct State {
        var queue: OutgoingQueue
        var statistics = Statistics()
        var order = Order.run
        /// `true` while libmosquitto resolves a name or connects: the thread cannot react.
        var isBlocked = false
        var hasEnded = false
        var end: CheckedContinuation<Void, Never>?
        var deliveries: [Int: CheckedContinuation<Bool, Never>] = [:]

        mutating func takeEnd() -> CheckedContinuation<Void, Never>? {
            defer { end = nil }
            return end
        }
    }

    /// The configuration.
    public let configuration: MQTTConfiguration
    /// The messages that arrive, for one reader. 256 wait for it; further ones are discarded and counted.
    public let messages: AsyncStream<MQTTMessage>
    /// The changes of the connection, for one reader.
    public let connections: AsyncStream<ConnectionEvent>

    private let state: Mutex<State>
    private let alarm = WakeUp()
    private let messageInlet: AsyncStream<MQTTMessage>.Continuation
    private let connectionInlet: AsyncStream<ConnectionEvent>.Continuation

    private static let mostWaiting = 256
    /// The maximum number of messages without acknowledgment. Brokers accept 20 or more.
    private static let mostUnacknowledged = 20
    /// The maximum time until the broker answers the request to connect.
    private static let patience = Duration.seconds(20)

    /// Creates a client; it connects in ``run()``.
    public init(_ configuration: MQTTConfiguration) {
        self.configuration = configuration
        (messages, messageInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        (connections, connectionInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        state = Mutex(
            State(queue: OutgoingQueue(most: configuration.mostQueued, mostBytes: configuration.mostQueuedBytes)))
    }

    /// The numbers so far.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.queued = state.queue.count
            return statistics
        }
    }

    /// Connects, and reconnects with growing pauses. Returns after ``finish(within:)``; or when the task is canceled,
    /// without a farewell: the broker then publishes the will. Call it once.
    public func run() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.end = continuation }
                NetworkThread.start { [self] in serve() }
            }
        } onCancel: {
            stop(.abort)
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            state.statistics.isConnected = false
            defer { state.deliveries = [:] }
            return Array(state.deliveries.values)
        }
        for continuation in waiting { continuation.resume(returning: false) }
        messageInlet.finish()
        connectionInlet.finish()
    }

    /// Sends the messages that wait, ends the connection with a farewell, and ends ``run()``. Returns at once.
    ///
    /// - Parameter span: The maximum time for it. Without a connection, ``run()`` returns at once.
    public func finish(within span: Duration) { stop(.finish(.now.advanced(by: span))) }

    /// Adds a message to the queue. Returns at once; ``Statistics`` counts messages that are dropped.
    public func publish(_ message: MQTTMessage) { _ = enqueue(message, nil) }

    /// Adds a message to the queue, and waits until the broker has acknowledged it.
    ///
    /// - Returns: `false` if it was dropped, or replaced by a later one of its topic; if the broker refused it; if the
    ///   client ended; or if the task was canceled.
    public func deliver(_ message: MQTTMessage) async -> Bool {
        let number = Mutex<Int?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = enqueue(message, continuation)
                number.withLock { $0 = id }
                if Task.isCancelled, let id { forget(id) }
            }
        } onCancel: {
            if let id = number.withLock({ $0 }) { forget(id) }
        }
    }

    private func forget(_ id: Int) {
        let continuation = state.withLock { state in
            state.queue.remove(id)
            return state.deliveries.removeValue(forKey: id)
        }
        continuation?.resume(returning: false)
    }

    private func enqueue(_ message: MQTTMessage, _ continuation: CheckedContinuation<Bool, Never>?) -> Int? {
        guard MQTTTopic.isValid(message.topic) else {
            state.withLock { $0.statistics.dropped += 1 }
            continuation?.resume(returning: false)
            return nil
        }
        let (id, ended) = state.withLock { state -> (Int?, [CheckedContinuation<Bool, Never>]) in
            guard !state.hasEnded else { return (nil, [continuation].compactMap { $0 }) }
            let result = state.queue.append(message)
            state.deliveries[result.id] = continuation
            state.statistics.dropped += result.dropped.count
            let lost = result.dropped + [result.replaced].compactMap { $0 }
            return (result.id, lost.compactMap { state.deliveries.removeValue(forKey: $0) })
        }
        for continuation in ended { continuation.resume(returning: false) }
        alarm.ring()
        return id
    }

    private func stop(_ order: Order) {
        let end = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .abort = state.order { return nil }
            state.order = order
            // The thread ends by itself when libmosquitto returns.
            guard state.isBlocked else { return nil }
            return state.takeEnd()
        }
        end?.resume()
        alarm.ring()
    }
}

// MARK: - The thread

extension MQTTClient {
    /// Runs on the client's thread.
    private func serve() {
        var backoff = Backoff(first: configuration.firstPause, longest: configuration.longestPause)
        var usesVersion5 = true
        while isRunning {
            let (reason, ending) = connect(usesVersion5: usesVersion5)
            guard isRunning else { break }
            switch ending {
            case .accepted: backoff.reset()
            // A broker that does not know MQTT 5 refuses the connection, or closes it.
            case .unanswered, .refused: usesVersion5.toggle()
            case .unreachable: break
            }
            connectionInlet.yield(.disconnected(reason: reason))
            pause(backoff.next())
        }
        state.withLock { $0.takeEnd() }?.resume()
    }

    private enum Ending {
        case unreachable, unanswered, refused, accepted
    }

    private var isRunning: Bool {
        state.withLock { state in
            if case .run = state.order { true } else { false }
        }
    }

    /// Connects once, and serves the connection to its end.
    private func connect(usesVersion5: Bool) -> (reason: String, Ending) {
        var problem = ""
        let sent = SentMessages()
        let handlers = MosquittoConnection.Handlers(
            accepted: { [self] in
                state.withLock { $0.statistics.isConnected = true }
            },
            received: { [self] message in receive(message) },
            acknowledged: { [self] number, isAccepted in
                if let id = sent.ids.removeValue(forKey: number) { settle(id, isAccepted) }
            })
        guard
            let connection = MosquittoConnection(
                configuration, usesVersion5: usesVersion5, handlers, report: { problem = $0 })
        else { return (problem, .unreachable) }
        state.withLock { $0.isBlocked = true }
        let code = connection.open()
        state.withLock { $0.isBlocked = false }
        guard code == MOSQ_ERR_SUCCESS.code else { return (connection.words(code), .unreachable) }
        let reason = serve(connection, sent)
        state.withLock { state in
            state.statistics.isConnected = false
            state.queue.reset()
        }
        return (reason, connection.isAccepted ? .accepted : connection.isAnswered ? .refused : .unanswered)
    }

    /// Serves a connection until it ends. Returns the reason in words.
    private func serve(_ connection: MosquittoConnection, _ sent: SentMessages) -> String {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        var hasSubscribed = false
        while true {
            if connection.isAccepted, !hasSubscribed {
                hasSubscribed = true
                let code = connection.subscribe()
                guard code == MOSQ_ERR_SUCCESS.code else { return connection.words(code) }
                connectionInlet.yield(.connected)
            }
            if let code = send(connection, sent) { return connection.words(code) }
            if mustEnd(connection) { return "the client ended" }
            guard connection.isAccepted || ContinuousClock.now < deadline else {
                return "the broker did not answer within \(Self.patience.components.seconds) seconds"
            }
            let code = step(connection)
            guard code == MOSQ_ERR_SUCCESS.code else { return connection.words(code) }
        }
    }

    /// Waits for the socket or the alarm, and lets libmosquitto work.
    private func step(_ connection: MosquittoConnection) -> Int32 {
        guard connection.descriptor >= 0 else { return MOSQ_ERR_CONN_LOST.code }
        let seconds = min(5, max(1, configuration.keepAlive.components.seconds / 4))
        let events = alarm.wait(
            for: .seconds(seconds), connection.descriptor,
            Int16(POLLIN) | (connection.wantsToWrite ? Int16(POLLOUT) : 0))
        if events & ~Int16(POLLOUT) != 0 {
            let code = connection.read()
            guard code == MOSQ_ERR_SUCCESS.code else { return code }
        }
        if events & Int16(POLLOUT) != 0 || connection.wantsToWrite {
            let code = connection.write()
            guard code == MOSQ_ERR_SUCCESS.code else { return code }
        }
        return connection.check()
    }

    /// Sends messages of the queue. Returns an error of the connection.
    private func send(_ connection: MosquittoConnection, _ sent: SentMessages) -> Int32? {
        guard connection.isAccepted else { return nil }
        while let entry = state.withLock({ state -> OutgoingQueue.Entry? in
            state.queue.sentCount < Self.mostUnacknowledged ? state.queue.takeNext() : nil
        }) {
            let (code, number) = connection.publish(entry.message)
            switch mosq_err_t(code) {
            case MOSQ_ERR_SUCCESS: sent.ids[number] = entry.id
            case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS, MOSQ_ERR_NOMEM: return code
            // The broker accepts no such message, because of its size for example.
            default: settle(entry.id, false)
            }
        }
        return nil
    }

    /// Returns `true` if the connection must end. Says farewell if all messages were sent.
    private func mustEnd(_ connection: MosquittoConnection) -> Bool {
        switch state.withLock({ ($0.order, $0.queue.isEmpty) }) {
        case (.run, _): return false
        case (.abort, _): return true
        case (.finish(let deadline), let isEmpty):
            guard connection.isAccepted else { return true }
            guard isEmpty else { return ContinuousClock.now >= deadline }
            connection.disconnect()
            while connection.wantsToWrite, ContinuousClock.now < deadline {
                guard step(connection) == MOSQ_ERR_SUCCESS.code else { break }
            }
            return true
        }
    }

    private func pause(_ span: Duration) {
        let end = ContinuousClock.now.advanced(by: span)
        // A new message rings, too.
        while isRunning, ContinuousClock.now < end { alarm.wait(for: ContinuousClock.now.duration(to: end)) }
    }

    private func receive(_ message: MQTTMessage) {
        let result = messageInlet.yield(message)
        state.withLock { state in
            state.statistics.received += 1
            if case .dropped = result { state.statistics.discarded += 1 }
        }
    }

    private func settle(_ id: Int, _ isDelivered: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.queue.remove(id) else { return nil }
            if isDelivered { state.statistics.delivered += 1 } else { state.statistics.dropped += 1 }
            return state.deliveries.removeValue(forKey: id)
        }
        continuation?.resume(returning: isDelivered)
    }
}

/// The messages that were sent and not acknowledged. The thread of the connection owns it: callbacks change it while
/// the thread sends.
private final class SentMessages {
    /// The IDs in the queue, by libmosquitto's numbers.
    var ids: [Int32: Int] = [:]
}
#endif
