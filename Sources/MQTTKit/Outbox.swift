// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The messages of a client: what to send next, and what to do after an answer or the end of a connection. Pure: the
/// caller has the clock.
///
/// - A *state* is a retained message. The outbox keeps the last one of each topic, and sends it again on each connection:
///   a broker that was restarted may know none.
/// - A *queued* message is not retained. It waits until the broker has acknowledged it. A full queue drops the oldest.
/// - A *large* message is a retained one such as a picture. It is sent alone, when nothing else waits, and the end of the
///   connection discards it.
///
/// Brokers can end the connection because of a message: they do not accept its size, or its topic. After such an end all
/// messages without acknowledgment are suspects. The next connection sends them after all others, and each alone. If the
/// connection ends twice while the same topic is alone, the outbox refuses this topic for a while.
struct Outbox {
    /// The limits of an outbox.
    struct Limits {
        /// The maximum number of queued messages, and their size in bytes.
        var mostQueued = 1000
        var mostQueuedBytes = 8 << 20
        /// The maximum number of topics with a state.
        var mostStates = 10_000
        /// The maximum number of messages without acknowledgment. Brokers accept 20 or more.
        var mostSent = 20
        /// How long a refused topic is not sent. The time doubles with each refusal, up to ``longestRefusal``.
        var firstRefusal = Duration.seconds(3600)
        var longestRefusal = Duration.seconds(86_400)
    }

    enum Kind {
        case state, queued, large
    }

    struct Entry {
        let id: Int
        let kind: Kind
        let message: MQTTMessage

        fileprivate var topic: String { message.topic }
    }

    /// The outcomes and refusals that the owner must report.
    struct Effects {
        /// The messages that have an outcome now.
        var settled: [(id: Int, outcome: MQTTOutcome)] = []
        /// The topics that are refused for the first time since their last delivery.
        var refused: [(topic: String, reason: String)] = []
    }

    /// The history of a topic that ended a connection, or that the broker refused.
    private struct Record {
        var strikes = 0
        var refusals = 0
        /// The end of the refusal; `nil` if the topic is a suspect.
        var end: ContinuousClock.Instant?
    }

    private static let mostStrikes = 2
    private static let mostRecords = 10_000
    private static let closing = "the broker ends the connection when it gets the message"

    private let limits: Limits
    private var nextID = 0
    private var isConnected = false
    private var entries: [Int: Entry] = [:]
    /// The last state of each topic.
    private var states: [String: Int] = [:]
    /// All queued messages, oldest first.
    private var queue: [Int] = []
    private var queuedBytes = 0
    /// The messages to send, in their order. Each ID is in at most one of these lists.
    private var waiting: [Int] = []
    private var suspects: [Int] = []
    private var large: [Int] = []
    /// The messages without acknowledgment, also those that were forgotten since: each can end the connection.
    private var sent: [Entry] = []
    /// The message beside which no other is sent.
    private var alone: Int?
    private var records: [String: Record] = [:]

    /// The number of messages that the broker acknowledged.
    private(set) var delivered = 0
    /// The number of messages that were not delivered: the queue was full, or the broker refused them.
    private(set) var dropped = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of messages that wait to be sent, or for their acknowledgment.
    var count: Int { waiting.count + suspects.count + large.count + sent.count }

    /// `true` if messages other than large ones wait to be sent, or for their acknowledgment.
    var isUrgent: Bool {
        !waiting.isEmpty || !suspects.isEmpty || sent.contains { $0.kind != .large && entries[$0.id] != nil }
    }
}

// MARK: - Adding

extension Outbox {
    /// Adds a message: a state if it is retained, or else a queued message.
    mutating func add(_ message: MQTTMessage, at now: ContinuousClock.Instant) -> (id: Int, Effects) {
        release(at: now)
        return message.isRetained ? addState(message) : addQueued(message)
    }

    /// Adds a large message, which replaces an earlier one of its topic.
    mutating func addLarge(_ message: MQTTMessage) -> (id: Int, Effects) {
        let entry = makeEntry(message, .large)
        guard isConnected else { return (entry.id, Effects(settled: [(entry.id, .unsent)])) }
        let replaced = large.filter { entries[$0]?.topic == message.topic }
        for id in replaced { forget(id) }
        entries[entry.id] = entry
        large.append(entry.id)
        return (entry.id, Effects(settled: replaced.map { ($0, .replaced) }))
    }

    private mutating func addState(_ message: MQTTMessage) -> (id: Int, Effects) {
        let earlier = states[message.topic]
        if let earlier, entries[earlier]?.message == message { return (earlier, Effects()) }
        let entry = makeEntry(message, .state)
        guard earlier != nil || states.count < limits.mostStates else {
            dropped += 1
            return (entry.id, Effects(settled: [(entry.id, .replaced)]))
        }
        entries[entry.id] = entry
        states[message.topic] = entry.id
        // It takes the place of the earlier one: a state that changes often must not wait for ever.
        if let index = waiting.firstIndex(where: { $0 == earlier }) {
            waiting[index] = entry.id
        } else if let index = suspects.firstIndex(where: { $0 == earlier }) {
            suspects[index] = entry.id
        } else {
            line(up: entry)
        }
        if let earlier, !isSent(earlier) { entries[earlier] = nil }
        return (entry.id, Effects())
    }

    private mutating func addQueued(_ message: MQTTMessage) -> (id: Int, Effects) {
        let entry = makeEntry(message, .queued)
        guard message.byteCount <= limits.mostQueuedBytes else {
            dropped += 1
            return (entry.id, Effects(settled: [(entry.id, .tooLarge(most: limits.mostQueuedBytes))]))
        }
        guard records[message.topic]?.end == nil else {
            dropped += 1
            return (entry.id, Effects(settled: [(entry.id, .refused(reason: Self.closing))]))
        }
        entries[entry.id] = entry
        queue.append(entry.id)
        queuedBytes += message.byteCount
        line(up: entry)
        var effects = Effects()
        while queue.count > limits.mostQueued || queuedBytes > limits.mostQueuedBytes, let oldest = queue.first {
            forget(oldest)
            dropped += 1
            effects.settled.append((oldest, .replaced))
        }
        return (entry.id, effects)
    }

    /// Makes all states due again: a subscriber wants to know them.
    mutating func repeatStates() {
        let listed = Set(waiting + suspects + sent.map(\.id))
        let known = states.values.filter { !listed.contains($0) }
        for entry in known.sorted().compactMap({ entries[$0] }) { line(up: entry) }
    }

    /// Forgets a message that the caller no longer wants to deliver. Returns `false` if it has an outcome already.
    @discardableResult
    mutating func remove(_ id: Int) -> Bool {
        guard entries[id] != nil else { return false }
        forget(id)
        return true
    }

    private func isSent(_ id: Int) -> Bool { sent.contains { $0.id == id } }

    private mutating func makeEntry(_ message: MQTTMessage, _ kind: Kind) -> Entry {
        defer { nextID += 1 }
        return Entry(id: nextID, kind: kind, message: message)
    }

    /// Appends a message to the list in which its topic belongs. A state of a refused topic waits in none.
    private mutating func line(up entry: Entry) {
        switch records[entry.topic] {
        case nil: waiting.append(entry.id)
        case let record? where record.end == nil: suspects.append(entry.id)
        case _?: break
        }
    }

    /// Removes a message from everything but ``sent``: its acknowledgment may follow.
    private mutating func forget(_ id: Int) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if states[entry.topic] == id { states[entry.topic] = nil }
        if entry.kind == .queued {
            queue.removeAll { $0 == id }
            queuedBytes -= entry.message.byteCount
        }
        waiting.removeAll { $0 == id }
        suspects.removeAll { $0 == id }
        large.removeAll { $0 == id }
    }
}

// MARK: - A connection

extension Outbox {
    /// Begins a connection: all states are due.
    mutating func begin() {
        isConnected = true
        repeatStates()
    }

    /// Returns the next message to send; `nil` if there is none, or if the broker must acknowledge others before.
    ///
    /// - Parameter isEnding: `true` to send everything but large messages as soon as possible.
    mutating func takeNext(at now: ContinuousClock.Instant, isEnding: Bool = false) -> Entry? {
        release(at: now)
        guard sent.count < limits.mostSent, isEnding || alone == nil else { return nil }
        let id: Int
        if !waiting.isEmpty {
            id = waiting.removeFirst()
        } else if isEnding, !suspects.isEmpty {
            id = suspects.removeFirst()
        } else if !isEnding, sent.isEmpty, !(suspects.isEmpty && large.isEmpty) {
            id = suspects.isEmpty ? large.removeFirst() : suspects.removeFirst()
            alone = id
        } else {
            return nil
        }
        guard let entry = entries[id] else { return nil }
        sent.append(entry)
        return entry
    }

    /// Settles a message that was sent, or cannot be sent.
    mutating func settle(_ id: Int, _ outcome: MQTTOutcome, at now: ContinuousClock.Instant) -> Effects {
        guard let index = sent.firstIndex(where: { $0.id == id }) else { return Effects() }
        let entry = sent.remove(at: index)
        if alone == id { alone = nil }
        guard outcome == .delivered else {
            guard entry.kind == .large else { return refuse(entry, outcome, at: now) }
            guard entries[id] != nil else { return Effects() }
            dropped += 1
            forget(id)
            return Effects(settled: [(id, outcome)])
        }
        if entry.kind != .large { acceptAgain(entry.topic) }
        guard entries[id] != nil else { return Effects() }
        delivered += 1
        // The last state of a topic is kept for the next connection, unless it removes the topic.
        if entry.kind != .state || states[entry.topic] != id || entry.message.payload.isEmpty { forget(id) }
        return Effects(settled: [(id, .delivered)])
    }

    /// Ends a connection.
    ///
    /// - Parameter isByBroker: `true` if the broker ended it, perhaps because of a message.
    mutating func end(isByBroker: Bool, at now: ContinuousClock.Instant) -> Effects {
        isConnected = false
        let (lost, wasAlone) = (sent, alone)
        (sent, alone) = ([], nil)
        let guilty = isByBroker && lost.count == 1 ? lost.first : nil
        var effects = Effects()
        for id in lost.map(\.id) + large where entries[id]?.kind == .large {
            forget(id)
            if guilty?.id == id { dropped += 1 }
            effects.settled.append((id, guilty?.id == id ? .tooLarge(most: nil) : .unsent))
        }
        let others = lost.filter { $0.kind != .large }
        if isByBroker {
            for entry in others { suspect(entry) }
            if let guilty, guilty.kind != .large { effects.append(strike(guilty, at: now)) }
        } else {
            let again = others.filter { entries[$0.id] != nil && !dropIfReplaced($0) }.map(\.id)
            if again.first == wasAlone { suspects = again + suspects } else { waiting = again + waiting }
        }
        return effects
    }

    /// Lets all messages of a topic wait behind all others.
    private mutating func suspect(_ entry: Entry) {
        if records[entry.topic] == nil { note(Record(), of: entry.topic) }
        if entries[entry.id] != nil, !dropIfReplaced(entry) { suspects.append(entry.id) }
        let others = waiting.filter { entries[$0]?.topic == entry.topic }
        waiting.removeAll(where: others.contains)
        suspects += others
    }

    private mutating func note(_ record: Record, of topic: String) {
        if records.count >= Self.mostRecords { records = [:] }
        records[topic] = record
    }

    /// Forgets a state that a later one has replaced.
    private mutating func dropIfReplaced(_ entry: Entry) -> Bool {
        guard entry.kind == .state, states[entry.topic] != entry.id else { return false }
        entries[entry.id] = nil
        return true
    }

    /// Counts the end of a connection against the only message without acknowledgment.
    private mutating func strike(_ entry: Entry, at now: ContinuousClock.Instant) -> Effects {
        records[entry.topic, default: Record()].strikes += 1
        guard records[entry.topic, default: Record()].strikes >= Self.mostStrikes else { return Effects() }
        return refuse(entry, .refused(reason: Self.closing), at: now)
    }
}

// MARK: - Refusals

extension Outbox {
    /// Refuses the topic of a message for a while. Queued messages of the topic are dropped; its state is sent later.
    private mutating func refuse(
        _ entry: Entry, _ outcome: MQTTOutcome, at now: ContinuousClock.Instant
    ) -> Effects {
        var effects = Effects()
        if records[entry.topic]?.end == nil {
            var record = records[entry.topic] ?? Record()
            let span = limits.firstRefusal * (1 << min(record.refusals, 16))
            record.end = now.advanced(by: min(span, limits.longestRefusal))
            record.refusals += 1
            note(record, of: entry.topic)
            if record.refusals == 1 { effects.refused.append((entry.topic, outcome.reason)) }
        }
        for id in queue where entries[id]?.topic == entry.topic && !isSent(id) {
            forget(id)
            dropped += 1
            effects.settled.append((id, outcome))
        }
        if entry.kind == .state, entries[entry.id] != nil {
            dropped += 1
            effects.settled.append((entry.id, outcome))
            _ = dropIfReplaced(entry)
        }
        guard let last = states[entry.topic] else { return effects }
        waiting.removeAll { $0 == last }
        suspects.removeAll { $0 == last }
        return effects
    }

    /// Ends refusals whose time is over: one more strike renews them.
    private mutating func release(at now: ContinuousClock.Instant) {
        for (topic, record) in records {
            guard let end = record.end, end <= now else { continue }
            records[topic]?.end = nil
            records[topic]?.strikes = Self.mostStrikes - 1
            guard let id = states[topic], !isSent(id), !(waiting + suspects).contains(id) else { continue }
            suspects.append(id)
        }
    }

    private mutating func acceptAgain(_ topic: String) {
        guard records.removeValue(forKey: topic) != nil else { return }
        let own = suspects.filter { entries[$0]?.topic == topic }
        suspects.removeAll(where: own.contains)
        waiting += own
    }
}

extension Outbox.Effects {
    mutating func append(_ other: Self) {
        settled += other.settled
        refused += other.refused
    }
}
