// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Foundation
import ScheduleKit
import Synchronization
import Testing

@testable import AnalyticsKit

@Suite("The queue of product events", .timeLimit(.minutes(5)))
struct AnalyticsQueueTests {
    private static let folder = FileManager.default.temporaryDirectory

    /// The file of a queue.
    private final class Place {
        let path = AnalyticsQueueTests.folder.appendingPathComponent("analytics-\(UUID()).db").path

        deinit { for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) } }

        func open(
            keepFor: Duration = .seconds(3600), capacity: Int = 100, clock: Clock = Clock(),
            for receivers: [String] = ["a"]
        ) async throws -> AnalyticsQueue {
            let queue = AnalyticsQueue(path: path, keepFor: keepFor, capacity: capacity) { clock.moment }
            try await queue.open(for: receivers)
            return queue
        }
    }

    /// A time of day that jumps, and a clock that does not.
    private final class Clock: Sendable {
        private let moments = Mutex(AnalyticsQueue.Moment.now)

        var moment: AnalyticsQueue.Moment { moments.withLock { $0 } }

        func advance(by span: Duration, jumpingBy jump: Int64 = 0) {
            moments.withLock { now in
                let seconds = now.wall.seconds + span.components.seconds + jump
                now = AnalyticsQueue.Moment(
                    wall: WallTime(seconds: seconds, nanoseconds: 0), steady: now.steady.advanced(by: span))
            }
        }
    }

    private static func event(_ type: String, at time: WallTime = .now()) -> ProductEvent {
        ProductEvent(type: type, time: time, data: [JSONValue.Member(name: "session", value: .string("a"))])
    }

    @Test("Events come in their order, each until it is removed")
    func order() async throws {
        let place = Place()
        let queue = try await place.open()
        try await queue.add(Self.event("session.opened"))
        try await queue.add(Self.event("session.left"))
        let first = try #require(try await queue.next(for: "a"))
        #expect(first.text.contains(#""type":"session.opened""#) && first.text.contains(#""session":"a""#))
        #expect(try await queue.next(for: "a") == first)
        try await queue.finish(first, by: "a", isDelivered: true)
        let second = try #require(try await queue.next(for: "a"))
        #expect(second.text.contains("session.left") && second.id != first.id)
        try await queue.finish(second, by: "a", isDelivered: false)
        #expect(try await queue.next(for: "a") == nil)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 0, delivered: 1, dropped: 1))
    }

    @Test("Events that wait are there when the file is opened again, with the same IDs")
    func durable() async throws {
        let place = Place()
        let entry: AnalyticsQueue.Entry?
        do {
            let queue = try await place.open()
            try await queue.add(Self.event("session.opened"))
            entry = try await queue.next(for: "a")
        }
        let queue = try await place.open()
        #expect(queue.statistics.waiting == 1)
        #expect(try await queue.next(for: "a") == entry)
    }

    @Test("Each receiver gets all events, and one that is away keeps none from the others")
    func receivers() async throws {
        let place = Place()
        let queue = try await place.open(for: ["a", "b"])
        for number in 1...3 { try await queue.add(Self.event("event.\(number)")) }
        for number in 1...3 {
            let entry = try #require(try await queue.next(for: "b"))
            #expect(entry.text.contains("event.\(number)"))
            try await queue.finish(entry, by: "b", isDelivered: number != 2)
        }
        #expect(try await queue.next(for: "b") == nil)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 3, delivered: 0, dropped: 0))
        while let entry = try await queue.next(for: "a") { try await queue.finish(entry, by: "a", isDelivered: true) }
        // The second event was refused by one of them.
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 0, delivered: 2, dropped: 1))
    }

    @Test("What a receiver has is known after a restart; a new one gets all events that wait, a former one keeps none")
    func restart() async throws {
        let place = Place()
        do {
            let queue = try await place.open(for: ["a", "b"])
            for number in 1...2 { try await queue.add(Self.event("event.\(number)")) }
            let entry = try #require(try await queue.next(for: "a"))
            try await queue.finish(entry, by: "a", isDelivered: true)
        }
        do {
            let queue = try await place.open(for: ["a", "c"])
            #expect(queue.statistics.waiting == 2)
            #expect(try await queue.next(for: "a")?.text.contains("event.2") == true)
            #expect(try await queue.next(for: "c")?.text.contains("event.1") == true)
        }
        let queue = try await place.open(for: ["a"])
        #expect(queue.statistics.waiting == 1)
    }

    @Test("A file of an earlier version is opened, and its events are delivered")
    func earlierVersion() async throws {
        let place = Place()
        do {
            let database = try Database(place.path, .create)
            try database.run(
                """
                PRAGMA journal_mode = WAL;
                CREATE TABLE event (
                    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, created INTEGER NOT NULL,
                    body TEXT NOT NULL);
                CREATE INDEX event_created ON event (created);
                INSERT INTO event (id, created, body) VALUES ('evt_1', \(WallTime.now().millisecondsSince1970), '{}')
                """)
        }
        let queue = try await place.open()
        let entry = try #require(try await queue.next(for: "a"))
        #expect(entry.id == "evt_1" && entry.text == "{}")
        try await queue.finish(entry, by: "a", isDelivered: true)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 0, delivered: 1, dropped: 0))
    }

    @Test("A full queue drops the oldest events, and counts them")
    func bounded() async throws {
        let place = Place()
        let queue = try await place.open(capacity: 3)
        for number in 1...5 { try await queue.add(Self.event("event.\(number)")) }
        #expect(try await queue.next(for: "a")?.text.contains("event.3") == true)
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 3, delivered: 0, dropped: 2))
    }

    @Test("Events that are too old are dropped, and counted")
    func old() async throws {
        let (place, clock) = (Place(), Clock())
        let queue = try await place.open(keepFor: .seconds(60), clock: clock)
        try await queue.add(Self.event("old"))
        clock.advance(by: .seconds(61))
        try await queue.add(Self.event("new"))
        #expect(try await queue.next(for: "a")?.text.contains("new") == true)
        #expect(queue.statistics.dropped == 1)
    }

    @Test("A jump of the time of day makes no event older", arguments: [86_400 * 365, -86_400 * 365])
    func jump(seconds: Int64) async throws {
        let (place, clock) = (Place(), Clock())
        let queue = try await place.open(keepFor: .seconds(60), clock: clock)
        try await queue.add(Self.event("first"))
        clock.advance(by: .seconds(30), jumpingBy: seconds)
        try await queue.add(Self.event("second", at: WallTime(seconds: 0, nanoseconds: 0)))
        #expect(try await queue.next(for: "a")?.text.contains("first") == true)
        clock.advance(by: .seconds(31))
        #expect(try await queue.next(for: "a")?.text.contains("second") == true)
        clock.advance(by: .seconds(30))
        #expect(try await queue.next(for: "a") == nil)
    }

    @Test("Events for which there is no room before they are written are counted as dropped")
    func overrun() async throws {
        let place = Place()
        let queue = try await place.open(capacity: 10_000)
        for _ in 0..<4100 { queue.record(Self.event("event")) }
        queue.finish()
        await queue.run { Issue.record($0) }
        #expect(queue.statistics == AnalyticsQueue.Statistics(waiting: 4096, delivered: 0, dropped: 4))
    }

    @Test("Recorded events are written, and the end of the queue follows them")
    func recorded() async throws {
        let place = Place()
        let queue = try await place.open()
        for number in 1...50 { queue.record(Self.event("event.\(number)")) }
        queue.finish()
        await queue.run { Issue.record($0) }
        #expect(queue.statistics.waiting == 50)
        var count = 0
        for await _ in queue.arrivals { count += 1 }
        #expect(count == 1)
    }

    @Test("A file that is no queue is an error with its path, and is tried again; recorded events wait")
    func foreign() async throws {
        let place = Place()
        try Data("not a database, but long enough to be taken for one".utf8).write(to: URL(filePath: place.path))
        let queue = AnalyticsQueue(path: place.path, keepFor: .seconds(60))
        let error = await #expect(throws: CaptureError.self) { try await queue.open(for: ["a"]) }
        #expect(error?.subject == place.path && queue.fault == error)
        queue.record(Self.event("early"))
        try FileManager.default.removeItem(atPath: place.path)
        try await queue.open(for: ["a"])
        queue.finish()
        await queue.run { Issue.record($0) }
        #expect(queue.fault == nil && queue.statistics.waiting == 1)
        await #expect(throws: CaptureError.self) {
            try await AnalyticsQueue(path: "/proc/nonexistent/a.db", keepFor: .seconds(60)).open(for: ["a"])
        }
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
