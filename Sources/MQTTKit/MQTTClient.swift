// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CMosquitto
import Glibc
import Synchronization

/// A client of an MQTT broker (libmosquitto), which reconnects until it is stopped.
///
/// Any task may call a client; no call waits for the network except ``run()``, ``deliver(_:)`` and ``deliver(large:)``.
/// All calls into libmosquitto are on one thread, which the client starts. It uses MQTT 5, and MQTT 3.1.1 if the broker
/// does not know that. Messages wait until the broker has acknowledged them, also while there is no connection.
///
/// A broker that ends connections because of a message gets that message last and alone; after the second end the client
/// refuses its topic for an hour, and longer each time. The same holds for subscriptions.
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
        /// The broker accepted the connection, and answered the subscriptions.
        case connected
        /// The connection has lasted for ``MQTTConfiguration/steadySpan``.
        case steady
        /// There is no connection. The client tries again.
        ///
        /// - Parameter reason: The reason in words, without credentials.
        case disconnected(reason: String)
        /// The broker does not accept messages of a topic, or a subscription. The client tries it again later. It
        /// reports each topic once until a message of it is delivered.
        case refused(topic: String, reason: String)
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
        /// Send the messages that wait, at most until this moment, and end.
        case finish(ContinuousClock.Instant)
        case abort
    }

    private struct State {
        var outbox: Outbox
        var statistics = Statistics()
        var order = Order.run
        /// `true` while libmosquitto resolves a name or connects: the thread cannot react.
        var isBlocked = false
        var hasEnded = false
        var end: CheckedContinuation<Void, Never>?
        var deliveries: [Int: CheckedContinuation<MQTTOutcome, Never>] = [:]

        mutating func takeEnd() -> CheckedContinuation<Void, Never>? {
            defer { end = nil }
            return end
        }

        var isFinishing: Bool {
            if case .finish = order { true } else { false }
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
    private static let mostEvents = 1024
    /// The maximum time until the broker answers the request to connect, and the subscriptions.
    private static let patience = Duration.seconds(20)

    /// Creates a client; it connects in ``run()``.
    public init(_ configuration: MQTTConfiguration) {
        self.configuration = configuration
        (messages, messageInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        (connections, connectionInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.mostEvents))
        var limits = Outbox.Limits()
        (limits.mostQueued, limits.mostQueuedBytes) = (configuration.mostQueued, configuration.mostQueuedBytes)
        state = Mutex(State(outbox: Outbox(limits)))
    }

    /// The numbers so far.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            (statistics.queued, statistics.delivered) = (state.outbox.count, state.outbox.delivered)
            statistics.dropped += state.outbox.dropped
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
        for continuation in waiting { continuation.resume(returning: .unsent) }
        messageInlet.finish()
        connectionInlet.finish()
    }

    /// Sends the messages that wait except large ones, ends the connection with a farewell, and ends ``run()``. Returns at
    /// once.
    ///
    /// - Parameter span: The maximum time for it. Without a connection, ``run()`` returns at once.
    public func finish(within span: Duration) { stop(.finish(.now.advanced(by: span))) }

    /// Sends a message. Returns at once; ``Statistics`` counts messages that are dropped.
    ///
    /// A retained message replaces an earlier one of its topic; one that equals it is not sent again. Other messages wait
    /// in a queue, which drops the oldest if it is full.
    public func publish(_ message: MQTTMessage) { _ = enqueue(message, nil) { $0.add(message, at: .now) } }

    /// Sends a message, and waits for its outcome, also while there is no connection.
    public func deliver(_ message: MQTTMessage) async -> MQTTOutcome {
        await waitForOutcome(message) { $0.add(message, at: .now) }
    }

    /// Sends a large message, such as a picture, and waits for its outcome: `unsent` if there is no connection, or if it
    /// ends before. The message is sent after all others and alone. A later large one of its topic replaces it.
    public func deliver(large message: MQTTMessage) async -> MQTTOutcome {
        await waitForOutcome(message) { $0.addLarge(message) }
    }

    /// Sends the last retained message of each topic again, but for large ones: a subscriber wants to know them.
    public func repeatStates() {
        state.withLock { $0.outbox.repeatStates() }
        alarm.ring()
    }

    private typealias Addition = @Sendable (inout Outbox) -> (id: Int, Outbox.Effects)

    private func waitForOutcome(_ message: MQTTMessage, _ add: @escaping Addition) async -> MQTTOutcome {
        let number = Mutex<Int?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = enqueue(message, continuation, add)
                number.withLock { $0 = id }
                if Task.isCancelled, let id { forget(id) }
            }
        } onCancel: {
            if let id = number.withLock({ $0 }) { forget(id) }
        }
    }

    private func forget(_ id: Int) {
        let continuation = state.withLock { state in
            state.outbox.remove(id)
            return state.deliveries.removeValue(forKey: id)
        }
        continuation?.resume(returning: .unsent)
    }

    private func enqueue(
        _ message: MQTTMessage, _ continuation: CheckedContinuation<MQTTOutcome, Never>?, _ add: Addition
    ) -> Int? {
        guard MQTTTopic.isValid(message.topic) else {
            state.withLock { $0.statistics.dropped += 1 }
            continuation?.resume(returning: .refused(reason: "the topic is not valid"))
            return nil
        }
        var id: Int?
        change { state in
            guard !state.hasEnded else { return Outbox.Effects() }
            let (added, effects) = add(&state.outbox)
            state.deliveries[added] = continuation
            id = added
            return effects
        }
        if id == nil { continuation?.resume(returning: .unsent) }
        alarm.ring()
        return id
    }

    /// Changes the outbox, and reports what follows from it.
    private func change(_ body: (inout State) -> Outbox.Effects) {
        let (effects, waiting) = state.withLock { state in
            let effects = body(&state)
            let waiting = effects.settled.compactMap { id, outcome in
                state.deliveries.removeValue(forKey: id).map { ($0, outcome) }
            }
            return (effects, waiting)
        }
        for (continuation, outcome) in waiting { continuation.resume(returning: outcome) }
        for (topic, reason) in effects.refused { connectionInlet.yield(.refused(topic: topic, reason: reason)) }
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
        var backoff = Backoff(
            first: configuration.firstPause, longest: configuration.longestPause, steady: configuration.steadySpan)
        var subscriptions = SubscriptionRecord()
        var usesVersion5 = true
        while isRunning {
            let result = connect(usesVersion5: usesVersion5, &subscriptions)
            guard isRunning else { break }
            if result.mustChangeVersion { usesVersion5.toggle() }
            connectionInlet.yield(.disconnected(reason: result.reason))
            pause(backoff.next(after: result.span))
        }
        state.withLock { $0.takeEnd() }?.resume()
    }

    /// How a connection ended.
    private struct Ending {
        var reason: String
        /// How long it lasted; `nil` if the broker did not accept it.
        var span: Duration?
        /// A broker that does not know MQTT 5 refuses the connection, or closes it.
        var mustChangeVersion = false
        var isByBroker = false
    }

    private var isRunning: Bool {
        state.withLock { state in
            if case .run = state.order { true } else { false }
        }
    }

    /// Connects once, and serves the connection to its end.
    private func connect(usesVersion5: Bool, _ subscriptions: inout SubscriptionRecord) -> Ending {
        var problem = ""
        let sent = SentMessages()
        let handlers = MosquittoConnection.Handlers(
            accepted: { [self] in
                state.withLock { $0.statistics.isConnected = true }
            },
            received: { [self] message in receive(message) },
            acknowledged: { [self] number, outcome in
                if let id = sent.ids.removeValue(forKey: number) { settle(id, outcome) }
            },
            subscribed: { filter, isGranted in sent.subscriptions.append((filter, isGranted)) })
        guard
            let connection = MosquittoConnection(
                configuration, usesVersion5: usesVersion5, handlers, report: { problem = $0 })
        else { return Ending(reason: problem) }
        state.withLock { $0.isBlocked = true }
        let code = connection.open()
        state.withLock { $0.isBlocked = false }
        guard code == MOSQ_ERR_SUCCESS.code else { return Ending(reason: connection.words(code)) }
        let ending = serve(connection, sent, &subscriptions)
        state.withLock { $0.statistics.isConnected = false }
        change { $0.outbox.end(isByBroker: ending.isByBroker, at: .now) }
        return ending
    }

    /// Serves a connection until it ends.
    private func serve(
        _ connection: MosquittoConnection, _ sent: SentMessages, _ subscriptions: inout SubscriptionRecord
    ) -> Ending {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        var phase = Phase.connecting
        while true {
            if let ending = advance(&phase, connection, sent, &subscriptions) { return ending }
            if phase.isOpen, let code = send(connection, sent) { return end(connection, code, phase) }
            if mustEnd(connection, phase) { return Ending(reason: "the client ended") }
            guard phase.isOpen || ContinuousClock.now < deadline else {
                let reason = "the broker did not answer within \(Self.patience.components.seconds) seconds"
                return Ending(reason: reason, mustChangeVersion: !connection.isAnswered)
            }
            let code = step(connection)
            guard code == MOSQ_ERR_SUCCESS.code else {
                if phase == .subscribing, connection.isEndOfBroker(code), let reason = subscriptions.strike(at: .now) {
                    report(configuration.subscriptions, reason)
                }
                return end(connection, code, phase)
            }
        }
    }

    private enum Phase: Equatable {
        case connecting, subscribing
        case open(since: ContinuousClock.Instant)
        case steady(since: ContinuousClock.Instant)

        /// How long the connection has been open; `nil` if it is not.
        var span: Duration? {
            switch self {
            case .connecting, .subscribing: nil
            case .open(let start), .steady(let start): start.duration(to: .now)
            }
        }

        var isOpen: Bool { span != nil }
    }

    private func end(_ connection: MosquittoConnection, _ code: Int32, _ phase: Phase) -> Ending {
        Ending(
            reason: connection.words(code), span: phase.span,
            mustChangeVersion: !connection.isAnswered || connection.isVersionRefused,
            isByBroker: phase.isOpen && connection.isEndOfBroker(code))
    }

    /// Enters the phases whose time has come.
    private func advance(
        _ phase: inout Phase, _ connection: MosquittoConnection, _ sent: SentMessages,
        _ subscriptions: inout SubscriptionRecord
    ) -> Ending? {
        if phase == .connecting, connection.isAccepted {
            phase = .subscribing
            if subscriptions.isAllowed(at: .now) {
                let code = connection.subscribe()
                guard code == MOSQ_ERR_SUCCESS.code else { return end(connection, code, phase) }
            }
        }
        if phase == .subscribing, connection.hasSubscribed {
            for (filter, isGranted) in sent.subscriptions where !isGranted {
                if subscriptions.isNew(filter) { report([filter], "the broker refuses the subscription") }
            }
            phase = .open(since: .now)
            state.withLock { $0.outbox.begin() }
            connectionInlet.yield(.connected)
        }
        if case .open(let start) = phase, ContinuousClock.now >= start.advanced(by: configuration.steadySpan) {
            phase = .steady(since: start)
            connectionInlet.yield(.steady)
        }
        return nil
    }

    private func report(_ topics: [String], _ reason: String) {
        for topic in topics { connectionInlet.yield(.refused(topic: topic, reason: reason)) }
    }

    /// Waits for the network or the alarm, and lets libmosquitto work.
    private func step(_ connection: MosquittoConnection) -> Int32 {
        let seconds = min(5, max(1, configuration.keepAlive.components.seconds / 4))
        return connection.step(alarm, for: .seconds(seconds))
    }

    /// Sends the messages that are due. Returns an error of the connection.
    private func send(_ connection: MosquittoConnection, _ sent: SentMessages) -> Int32? {
        while let entry = state.withLock({ state in
            state.outbox.takeNext(at: .now, isEnding: state.isFinishing)
        }) {
            let (code, number) = connection.publish(entry.message)
            switch mosq_err_t(code) {
            case MOSQ_ERR_SUCCESS: sent.ids[number] = entry.id
            case MOSQ_ERR_OVERSIZE_PACKET:
                settle(entry.id, .tooLarge(most: connection.mostPayloadBytes(entry.message.topic)))
            case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS, MOSQ_ERR_NOMEM: return code
            default: settle(entry.id, .refused(reason: connection.words(code)))
            }
        }
        return nil
    }

    /// Returns `true` if the connection must end. Says farewell if all messages were sent.
    private func mustEnd(_ connection: MosquittoConnection, _ phase: Phase) -> Bool {
        switch state.withLock({ ($0.order, $0.outbox.isUrgent) }) {
        case (.run, _): return false
        case (.abort, _): return true
        case (.finish(let deadline), let isUrgent):
            guard phase.isOpen else { return true }
            guard !isUrgent else { return ContinuousClock.now >= deadline }
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

    private func settle(_ id: Int, _ outcome: MQTTOutcome) {
        change { $0.outbox.settle(id, outcome, at: .now) }
    }
}

/// The messages that a connection has sent, and the answers to its subscriptions. The thread of the connection owns the
/// object: callbacks change it while the thread sends.
private final class SentMessages {
    /// The IDs in the outbox, by libmosquitto's numbers.
    var ids: [Int32: Int] = [:]
    /// The answers to subscriptions.
    var subscriptions: [(filter: String, isGranted: Bool)] = []
}
#endif
