// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import MQTTKit

/// A broker that ends the connection at some topics and sizes, and what it has.
private struct WalkBroker {
    let bad: Set<String>
    let mostBytes: Int
    private(set) var retained: [String: String] = [:]
    private(set) var ends: [String: Int] = [:]

    /// Returns `false` if it ends the connection.
    mutating func accept(_ message: MQTTMessage) -> Bool {
        guard !bad.contains(message.topic), message.payload.count <= mostBytes else {
            ends[message.topic, default: 0] += 1
            return false
        }
        if message.isRetained { retained[message.topic] = message.payload.isEmpty ? nil : message.text }
        return true
    }

    /// Loses everything, as a restart does.
    mutating func forget() { retained = [:] }
}

@Suite("A random walk of messages, connections and refusals")
struct OutboxWalkTests {
    @Test("Each message has one outcome, limits hold, and a broker gets every state that it accepts", arguments: 0..<40)
    func walk(seed: UInt64) {
        var random = Walk(seed)
        let topics = (0..<8).map { "state/\($0)" }
        let bad = Set(topics.filter { _ in random.next(6) == 0 } + (random.next(3) == 0 ? ["queue/bad"] : []))
        var broker = WalkBroker(bad: bad, mostBytes: 50)
        var limits = Outbox.Limits()
        (limits.mostQueued, limits.mostSent) = (10, 4)
        var outbox = Outbox(limits)
        var now = ContinuousClock.now
        var (isConnected, sent, open) = (false, [Outbox.Entry](), Set<Int>())
        var wanted: [String: String] = [:]

        func follow(_ effects: Outbox.Effects) {
            for (id, _) in effects.settled where open.contains(id) { open.remove(id) }
        }
        func end(isByBroker: Bool) {
            follow(outbox.end(isByBroker: isByBroker, at: now))
            (isConnected, sent) = (false, [])
        }
        func answer() {
            guard !sent.isEmpty else { return }
            let entry = sent.removeFirst()
            guard broker.accept(entry.message) else { return end(isByBroker: true) }
            follow(outbox.settle(entry.id, .delivered, at: now))
        }
        func take() {
            guard isConnected, let entry = outbox.takeNext(at: now) else { return }
            sent.append(entry)
            #expect(sent.count <= limits.mostSent)
            #expect(sent.count == 1 || !sent.contains { $0.kind == .large })
        }
        for step in 0..<2000 {
            now = now.advanced(by: .milliseconds(100))
            switch random.next(12) {
            case 0, 1:
                let (topic, text) = (topics[random.next(topics.count)], random.next(9) == 0 ? "" : "\(step)")
                wanted[topic] = text.isEmpty ? nil : text
                follow(outbox.add(MQTTMessage(topic, text, isRetained: true), at: now).1)
            case 2:
                let (id, effects) = outbox.add(
                    MQTTMessage("queue/\(random.next(5) == 0 ? "bad" : "good")", "x"), at: now)
                open.insert(id)
                follow(effects)
            case 3:
                let text = String(repeating: "x", count: random.next(100))
                let (id, effects) = outbox.addLarge(MQTTMessage("large/\(random.next(2))", text, isRetained: true))
                open.insert(id)
                follow(effects)
            case 4 where !isConnected:
                isConnected = true
                outbox.begin()
            case 5 where isConnected && random.next(20) == 0:
                end(isByBroker: false)
                if random.next(2) == 0 { broker.forget() }
            case 6 where !open.isEmpty && random.next(5) == 0:
                let id = open.sorted()[0]
                open.remove(id)
                outbox.remove(id)
            case 7, 8: answer()
            default: take()
            }
            #expect(outbox.count <= topics.count + limits.mostQueued + 2 + limits.mostSent)
        }
        // In the end only messages that the broker does not accept end a connection.
        var ends = 0
        while ends < 40 {
            if !isConnected {
                (isConnected, ends) = (true, ends + 1)
                outbox.begin()
            }
            take()
            if sent.isEmpty { break }
            answer()
        }
        #expect(ends <= 2 * (bad.count + 1) + 6, "\(ends) ends for \(bad)")
        #expect(open.isEmpty, "\(open)")
        #expect(!outbox.isUrgent)
        for topic in topics where !bad.contains(topic) {
            #expect(broker.retained[topic] == wanted[topic], "\(topic), seed \(seed)")
        }
        // Once beside others, and twice alone.
        for topic in bad { #expect(broker.ends[topic, default: 0] <= 3, "\(topic), seed \(seed)") }
    }
}

/// A generator with a seed (xorshift).
private struct Walk {
    private var state: UInt64

    init(_ seed: UInt64) { state = 0x9E37_79B9_7F4A_7C15 &+ seed &* 0xD1B5_4A32_D192_ED03 }

    mutating func next(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }
}
