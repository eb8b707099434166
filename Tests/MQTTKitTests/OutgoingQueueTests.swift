// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import MQTTKit

@Suite("Messages that wait for a broker")
struct OutgoingQueueTests {
    private static func message(_ topic: String, _ text: String = "x", isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic, text, isRetained: isRetained)
    }

    private static func topics(_ queue: OutgoingQueue) -> [String] {
        var (queue, topics) = (queue, [String]())
        while let entry = queue.takeNext() { topics.append("\(entry.message.topic) \(entry.message.text ?? "")") }
        return topics
    }

    @Test("A retained message replaces an earlier one of its topic that was not sent")
    func replacing() {
        var queue = OutgoingQueue(most: 10, mostBytes: 1000)
        _ = queue.append(Self.message("a", "1", isRetained: true))
        _ = queue.append(Self.message("b", "1"))
        _ = queue.append(Self.message("b", "2"))
        #expect(queue.append(Self.message("a", "2", isRetained: true)).replaced == 0)
        #expect(Self.topics(queue) == ["b 1", "b 2", "a 2"])
        let sent = queue.takeNext()
        #expect(sent?.message.text == "1" && queue.sentCount == 1)
    }

    @Test("A full queue drops the oldest message that is not retained, and one that is larger than the queue")
    func limits() {
        var queue = OutgoingQueue(most: 2, mostBytes: 100)
        _ = queue.append(Self.message("kept", isRetained: true))
        _ = queue.append(Self.message("first"))
        #expect(queue.append(Self.message("second")).dropped == [1])
        #expect(Self.topics(queue) == ["kept x", "second x"])
        let large = queue.append(Self.message("large", String(repeating: "x", count: 200)))
        #expect(large.dropped == [large.id] && queue.count == 2)
        #expect(queue.append(Self.message("third", String(repeating: "x", count: 95))).dropped == [2, 4])
        #expect(queue.byteCount == 5)
    }

    @Test("After a lost connection all messages are sent again")
    func reset() {
        var queue = OutgoingQueue(most: 10, mostBytes: 1000)
        _ = queue.append(Self.message("a"))
        _ = queue.append(Self.message("b"))
        let first = queue.takeNext()
        #expect(first?.id == 0 && queue.takeNext()?.id == 1 && queue.takeNext() == nil)
        queue.remove(0)
        queue.reset()
        #expect(queue.sentCount == 0 && queue.takeNext()?.id == 1)
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

    @Test("Pauses between attempts double up to the longest one, and begin again after a connection")
    func pauses() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
        let pauses = (0..<6).map { _ in backoff.next { $0.upperBound } }
        #expect(pauses == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        backoff.reset()
        #expect(backoff.next { $0.lowerBound } == .milliseconds(500))
    }
}
