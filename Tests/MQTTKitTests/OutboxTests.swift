// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import MQTTKit

@Suite("Messages for a broker")
struct OutboxTests {
    private static func message(_ topic: String, _ text: String = "x", isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic, text, isRetained: isRetained)
    }

    private static func state(_ topic: String, _ text: String = "x") -> MQTTMessage {
        message(topic, text, isRetained: true)
    }

    private static func outbox(_ change: (inout Outbox.Limits) -> Void = { _ in }) -> Outbox {
        var limits = Outbox.Limits()
        change(&limits)
        return Outbox(limits)
    }

    private let now = ContinuousClock.now

    /// Takes the messages that may be sent now.
    private func take(_ outbox: inout Outbox, isEnding: Bool = false) -> [(id: Int, text: String)] {
        var texts: [(id: Int, text: String)] = []
        while let entry = outbox.takeNext(at: now, isEnding: isEnding) {
            texts.append((entry.id, "\(entry.message.topic) \(entry.message.text ?? "")"))
        }
        return texts
    }

    @Test("A state replaces an earlier one of its topic at its place, and one that equals it is not sent again")
    func states() {
        var outbox = Self.outbox()
        for message in [Self.state("a", "1"), Self.message("b", "1"), Self.message("b", "2"), Self.state("a", "2")] {
            _ = outbox.add(message, at: now)
        }
        outbox.begin()
        let sent = take(&outbox)
        #expect(sent.map(\.text) == ["a 2", "b 1", "b 2"])
        for entry in sent { _ = outbox.settle(entry.id, .delivered, at: now) }
        _ = outbox.add(Self.state("a", "2"), at: now)
        #expect(take(&outbox).isEmpty && outbox.count == 0 && outbox.delivered == 3)
        _ = outbox.add(Self.state("a", "3"), at: now)
        #expect(take(&outbox).map(\.text) == ["a 3"])
    }

    @Test("After a reconnection all states are sent again, those that were acknowledged, too, and queued messages once")
    func reconnection() {
        var outbox = Self.outbox()
        for message in [Self.state("a"), Self.message("q"), Self.state("b"), Self.state("gone", "")] {
            _ = outbox.add(message, at: now)
        }
        outbox.begin()
        for entry in take(&outbox) { _ = outbox.settle(entry.id, .delivered, at: now) }
        _ = outbox.end(isByBroker: false, at: now)
        outbox.begin()
        #expect(take(&outbox).map(\.text) == ["a x", "b x"])
        outbox.repeatStates()
        #expect(take(&outbox).isEmpty)
    }

    @Test("A full queue drops its oldest messages and no state, and a message that is larger than the queue")
    func limits() {
        var outbox = Self.outbox { ($0.mostQueued, $0.mostQueuedBytes) = (2, 100) }
        _ = outbox.add(Self.state("kept", String(repeating: "x", count: 1000)), at: now)
        let first = outbox.add(Self.message("first"), at: now)
        _ = outbox.add(Self.message("second"), at: now)
        #expect(outbox.add(Self.message("third"), at: now).1.settled.map(\.id) == [first.id])
        let large = outbox.add(Self.message("large", String(repeating: "x", count: 200)), at: now)
        #expect(large.1.settled.map(\.outcome) == [.tooLarge(most: 100)])
        outbox.begin()
        #expect(take(&outbox).map { $0.text.split(separator: " ")[0] } == ["kept", "second", "third"])
        #expect(outbox.dropped == 2)
    }

    @Test("A large message is sent alone after all others, the newest of its topic, and ends with its connection")
    func large() {
        var outbox = Self.outbox()
        #expect(outbox.addLarge(Self.state("picture", "0")).1.settled.map(\.outcome) == [.unsent])
        outbox.begin()
        let first = outbox.addLarge(Self.state("picture", "1"))
        let second = outbox.addLarge(Self.state("picture", "2"))
        #expect(second.1.settled.map(\.id) == [first.id] && second.1.settled.map(\.outcome) == [.replaced])
        let state = outbox.add(Self.state("a"), at: now)
        #expect(take(&outbox).map(\.id) == [state.id])
        _ = outbox.settle(state.id, .delivered, at: now)
        #expect(take(&outbox).map(\.text) == ["picture 2"])
        _ = outbox.add(Self.state("a", "2"), at: now)
        #expect(take(&outbox).isEmpty && outbox.isUrgent)
        #expect(take(&outbox, isEnding: true).map(\.text) == ["a 2"])
        #expect(outbox.end(isByBroker: false, at: now).settled.map(\.outcome) == [.unsent])
        outbox.begin()
        #expect(take(&outbox).map(\.text) == ["a 2"])
    }

    @Test("A large message that ends the connection is too large")
    func largeEnd() {
        var outbox = Self.outbox()
        outbox.begin()
        let picture = outbox.addLarge(Self.state("picture"))
        #expect(take(&outbox).count == 1)
        let settled = outbox.end(isByBroker: true, at: now).settled
        #expect(settled.map(\.id) == [picture.id] && settled.map(\.outcome) == [.tooLarge(most: nil)])
        #expect(outbox.count == 0)
    }

    @Test("A topic that ends connections is sent last and alone, refused after the second time, and tried again later")
    func refusal() {
        var outbox = Self.outbox()
        for name in ["a", "bad", "b"] { _ = outbox.add(Self.state(name), at: now) }
        outbox.begin()
        #expect(take(&outbox).count == 3)
        #expect(outbox.end(isByBroker: true, at: now).refused.isEmpty)
        var (ends, refused) = (1, [String]())
        while refused.isEmpty, ends < 10 {
            outbox.begin()
            while let entry = outbox.takeNext(at: now) {
                if entry.message.topic != "bad" {
                    _ = outbox.settle(entry.id, .delivered, at: now)
                    continue
                }
                // A later state of the topic must not be sent beside others.
                _ = outbox.add(Self.state("bad", "\(ends)"), at: now)
                #expect(outbox.takeNext(at: now) == nil)
                refused += outbox.end(isByBroker: true, at: now).refused.map(\.topic)
                ends += 1
                break
            }
        }
        #expect(ends == 3 && refused == ["bad"])
        outbox.begin()
        let others = take(&outbox)
        #expect(Set(others.map(\.text)) == ["a x", "b x"])
        for entry in others { _ = outbox.settle(entry.id, .delivered, at: now) }
        _ = outbox.add(Self.state("bad", "next"), at: now)
        #expect(outbox.takeNext(at: now.advanced(by: .seconds(3599))) == nil)
        let later = now.advanced(by: .seconds(3601))
        #expect(outbox.takeNext(at: later)?.message.text == "next")
    }

    @Test("A refusal of the broker is reported once, keeps its topic for an hour, and then for two")
    func answered() throws {
        var outbox = Self.outbox()
        outbox.begin()
        let first = outbox.add(Self.message("q", "1"), at: now)
        #expect(take(&outbox).count == 1)
        let effects = outbox.settle(first.id, .refused(reason: "no"), at: now)
        #expect(effects.refused.map(\.topic) == ["q"] && effects.settled.map(\.outcome) == [.refused(reason: "no")])
        #expect(outbox.add(Self.message("q", "2"), at: now).1.settled.count == 1)
        let later = now.advanced(by: .seconds(3600))
        let again = outbox.add(Self.message("q", "3"), at: later)
        #expect(again.1.settled.isEmpty && outbox.takeNext(at: later)?.id == again.id)
        #expect(outbox.settle(again.id, .refused(reason: "no"), at: later).refused.isEmpty)
        #expect(outbox.add(Self.message("q"), at: later.advanced(by: .seconds(7199))).1.settled.count == 1)
        let last = outbox.add(Self.message("q", "4"), at: later.advanced(by: .seconds(7200)))
        #expect(last.1.settled.isEmpty)
        _ = outbox.takeNext(at: later.advanced(by: .seconds(7200)))
        _ = outbox.settle(last.id, .delivered, at: later)
        #expect(outbox.add(Self.message("q", "5"), at: later).1.settled.isEmpty)
    }

    @Test("Topics match filters by levels")
    func topics() {
        let cases: [(String, String, Bool)] = [
            ("a/b/c", "a/+/c", true), ("a/b/c", "a/#", true), ("a", "a/#", true), ("a/b", "a/+/c", false),
            ("a/b/c", "a/+", false), ("a/b", "a/b", true), ("a//c", "a/+/c", true), ("b", "#", true),
        ]
        for (topic, filter, matches) in cases {
            #expect(MQTTTopic.matches(topic, filter) == matches, "\(topic) \(filter)")
        }
        for topic in ["", "a/+", "#", "a\u{0}b", String(repeating: "a", count: 65_536)] {
            #expect(!MQTTTopic.isValid(topic))
        }
    }

    @Test("Pauses between attempts double up to the longest one, and begin again after a connection that lasted")
    func pauses() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(10), steady: .seconds(30))
        let ends: [Duration?] = [nil, .zero, .seconds(29), nil, nil, .milliseconds(100), .seconds(30), nil]
        let pauses = ends.map { span in backoff.next(after: span) { $0.upperBound } }
        #expect(pauses == [1, 2, 4, 8, 10, 10, 1, 2].map { .seconds($0) })
        #expect(backoff.next(after: .seconds(60)) { $0.lowerBound } == .milliseconds(500))
    }

    @Test("A client that may not subscribe connects without subscriptions after the second end, and tries again later")
    func subscriptions() {
        var record = SubscriptionRecord()
        var strikes: [Bool] = []
        for _ in 0..<2 where record.isAllowed(at: now) { strikes.append(record.strike(at: now) != nil) }
        #expect(strikes == [false, true])
        let (isAllowed, later) = (record.isAllowed(at: now), now.advanced(by: .seconds(3600)))
        #expect(!isAllowed)
        let isAllowedLater = record.isAllowed(at: later)
        let reason = record.strike(at: later)
        let isAllowedThen = record.isAllowed(at: later)
        #expect(isAllowedLater && reason == nil && !isAllowedThen)
        let news = (0..<2).map { _ in record.isNew("a") }
        #expect(news == [true, false])
    }
}
