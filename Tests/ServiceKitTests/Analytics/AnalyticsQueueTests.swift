// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import ScheduleKit
import Testing

@testable import ServiceKit

@Suite("The queue of product events", .timeLimit(.minutes(5)))
struct AnalyticsQueueTests {
    private static let folder = FileManager.default.temporaryDirectory

    /// The file of a queue.
    private final class Place {
        let path = AnalyticsQueueTests.folder.appendingPathComponent("analytics-\(UUID()).db").path

        deinit { for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) } }

        func open(keepFor: Duration = .seconds(3600), capacity: Int = 100) throws -> AnalyticsQueue {
            try AnalyticsQueue(path: path, keepFor: keepFor, capacity: capacity)
        }
    }

    private static func event(_ type: String, at time: WallTime = .now()) -> ProductEvent {
        ProductEvent(type: type, time: time, data: [JSONValue.Member(name: "session", value: .string("a"))])
    }

    @Test("Events come in their order, each until it is removed")
    func order() async throws {
        let place = Place()
        let queue = try place.open()
        try await queue.add(Self.event("session.opened"))
        try await queue.add(Self.event("session.left"))
        let first = try #require(try await queue.next())
        #expect(first.text.contains(#""type":"session.opened""#) && first.text.contains(#""session":"a""#))
        #expect(try await queue.next() == first)
        try await queue.remove(first, isDelivered: true)
        let second = try #require(try await queue.next())
        #expect(second.text.contains("session.left") && second.id != first.id)
        try await queue.remove(second, isDelivered: false)
        #expect(try await queue.next() == nil)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 0, delivered: 1, dropped: 1))
    }

    @Test("Events that wait are there when the file is opened again, with the same IDs")
    func durable() async throws {
        let place = Place()
        let entry: AnalyticsQueue.Entry?
        do {
            let queue = try place.open()
            try await queue.add(Self.event("session.opened"))
            entry = try await queue.next()
        }
        let queue = try place.open()
        #expect(queue.statistics.waiting == 1)
        #expect(try await queue.next() == entry)
    }

    @Test("A full queue drops the oldest events, and counts them")
    func bounded() async throws {
        let place = Place()
        let queue = try place.open(capacity: 3)
        for number in 1...5 { try await queue.add(Self.event("event.\(number)")) }
        #expect(try await queue.next()?.text.contains("event.3") == true)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 3, delivered: 0, dropped: 2))
    }

    @Test("Events that are too old are dropped")
    func old() async throws {
        let place = Place()
        let queue = try place.open(keepFor: .seconds(60))
        let now = WallTime.now()
        try await queue.add(Self.event("old", at: WallTime(seconds: now.seconds - 61, nanoseconds: 0)))
        try await queue.add(Self.event("new", at: now))
        #expect(try await queue.next(at: now)?.text.contains("new") == true)
        #expect(queue.statistics.dropped == 1)
    }

    @Test("Recorded events are written, and the end of the queue follows them")
    func recorded() async throws {
        let place = Place()
        let queue = try place.open()
        for number in 1...50 { queue.record(Self.event("event.\(number)")) }
        queue.finish()
        await queue.run { Issue.record($0) }
        #expect(queue.statistics.waiting == 50)
        var count = 0
        for await _ in queue.arrivals { count += 1 }
        #expect(count == 1)
    }

    @Test("A file that is no queue is an error with its path")
    func foreign() throws {
        let place = Place()
        try Data("not a database, but long enough to be taken for one".utf8).write(to: URL(filePath: place.path))
        let error = #expect(throws: CaptureError.self) { try place.open() }
        #expect(error?.subject == place.path)
        #expect(throws: CaptureError.self) { try AnalyticsQueue(path: "/nonexistent/a.db", keepFor: .seconds(60)) }
    }
}

@Suite("Signatures of webhooks")
struct WebhookSecretTests {
    @Test("The signature is that of the Standard Webhooks specification")
    func vector() throws {
        let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", file: "secret")
        let signature = secret.signature(
            of: #"{"test": 2432232314}"#, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "A secret that is too short or no Base64 is refused",
        arguments: ["", "short", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 but long enough to be"])
    func wrong(text: String) {
        let error = #expect(throws: CaptureError.self) { try WebhookSecret(text, file: "/etc/secret") }
        #expect(error?.code == .configuration)
        #expect(error?.subject == "/etc/secret")
    }
}
