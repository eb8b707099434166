// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureTestSupport
import DatabaseKit
import Foundation
import Logging
import Synchronization
import SystemBase
import Testing
import UploadKit

@testable import DeliveryKit

@Suite("Delivery of product events", .timeLimit(.minutes(1)))
struct AnalyticsSenderTests {
    @Test("A receiver that has an event does not get it again while the other one is away")
    func away() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let counts = Mutex((webhook: 0, broker: 0))
        let delivered = AsyncStream<Void>.makeStream()
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("webhook") { _ in
                    counts.withLock { $0.webhook += 1 }
                    delivered.continuation.yield()
                },
                EventReceiver("mqtt") { _ throws(TransferFault) in
                    let count = counts.withLock { counts in
                        counts.broker += 1
                        return counts.broker
                    }
                    if count == 3 {
                        for await _ in delivered.stream { break }
                        queue.finish()
                    }
                    if count < 3 { throw .unreachable("away", pause: nil) }
                },
            ], Logger(label: "test"), JumpingClock().deliveries)
        queue.record(Self.event(1))
        try await sender.run()
        let (webhook, broker) = counts.withLock { ($0.webhook, $0.broker) }
        #expect(webhook == 1 && broker >= 3)
    }

    @Test("A receiver that does not answer keeps no event from the other one, and gets all of them in order later")
    func separate() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let server = try await EventServer(statuses: [204], in: folder)
        let webhook = try Webhook(server.address, secretFile: folder.secret)
        let (broker, awake) = (Recorder(), AsyncStream<Void>.makeStream())
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("mqtt") { entry in
                    // The broker hangs until the other receiver has everything.
                    for await _ in awake.stream {}
                    broker.add(entry.text)
                },
                EventReceiver("webhook") { entry async throws(TransferFault) in try await webhook.send(entry) },
            ], Logger(label: "test"), JumpingClock().deliveries)
        for number in 1...4 { queue.record(Self.event(number)) }
        try await Self.run(sender, until: queue) {
            let types = try await server.types(4)
            #expect(types == (1...4).map { "event.\($0)" })
            awake.continuation.finish()
            #expect(await broker.types(4) == (1...4).map { "event.\($0)" })
        }
    }

    @Test("An event that a receiver refuses is counted, logged once, and does not keep the next one")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let server = try await EventServer(statuses: [422, 204], in: folder)
        let webhook = try Webhook(server.address, secretFile: folder.secret)
        let last = AsyncStream<Void>.makeStream()
        let log = RecordedLog()
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("webhook") { entry async throws(TransferFault) in
                    // The third attempt begins when the second event is recorded.
                    if entry.text.contains("event.3") { last.continuation.finish() }
                    try await webhook.send(entry)
                }
            ], log.logger, JumpingClock().deliveries)
        for number in 1...3 { queue.record(Self.event(number)) }
        try await Self.run(sender, until: queue) { for await _ in last.stream {} }
        #expect(queue.statistics.dropped == 1)
        #expect(log.lines.filter { $0.contains("event refused: the server refuses the message (422)") }.count == 1)
    }

    @Test("The pause that a receiver asks for is respected, its reason is logged once, and the same event follows")
    func pause() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let server = try await EventServer(statuses: [429, 503, 503, 204], retryAfter: 7200, in: folder)
        let webhook = try Webhook(server.address, secretFile: folder.secret)
        let (clock, log) = (JumpingClock(), RecordedLog())
        let sender = AnalyticsSender(
            queue,
            [EventReceiver("webhook") { entry async throws(TransferFault) in try await webhook.send(entry) }],
            log.logger, clock.deliveries)
        for number in 1...2 { queue.record(Self.event(number)) }
        try await Self.run(sender, until: queue) {
            let types = try await server.types(5)
            #expect(types == ["event.1", "event.1", "event.1", "event.1", "event.2"])
        }
        #expect(clock.pauses.count == 3 && clock.pauses.allSatisfy { $0 > .seconds(7199) }, "\(clock.pauses)")
        #expect(log.lines.filter { $0.contains("asks for fewer requests") }.count == 1)
        #expect(log.lines.filter { $0.contains("internal fault (503)") }.count == 1)
        #expect(queue.statistics.dropped == 0)
    }

    @Test("An event that the queue drops meanwhile is not sent any more, and the next one follows")
    func dropped() async throws {
        let folder = try TemporaryFolder()
        let queue = AnalyticsQueue(path: folder.path + "/analytics.db", keepFor: .seconds(3600), capacity: 1)
        let seen = Recorder()
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("webhook") { entry throws(TransferFault) in
                    seen.add(entry.text)
                    guard entry.text.contains("event.1") else { return }
                    // The queue has room for one event: the second one takes the place of the first.
                    queue.record(Self.event(2))
                    throw .unreachable("away", pause: nil)
                }
            ], Logger(label: "test"), JumpingClock().deliveries)
        queue.record(Self.event(1))
        try await Self.run(sender, until: queue) { for await type in seen.stream where type == "event.2" { break } }
        #expect(queue.statistics.dropped >= 1)
    }

    @Test("An event whose delivery cannot be recorded is not sent again, and the next one follows when it can")
    func unrecorded() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let (seen, log) = (Recorder(), RecordedLog())
        let clock = DeliveryClock(
            now: { .after(.zero) },
            sleep: { _ in
                Self.change(folder, "CREATE TABLE receiver (name TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID")
            })
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("webhook") { entry in
                    if entry.text.contains("event.1") { Self.change(folder, "DROP TABLE receiver") }
                    seen.add(entry.text)
                }
            ], log.logger, clock)
        for number in 1...3 { queue.record(Self.event(number)) }
        try await Self.run(sender, until: queue) {
            #expect(await seen.types(3) == ["event.1", "event.2", "event.3"])
        }
        #expect(log.lines.filter { $0.contains("no such table") }.count == 1, "\(log.lines)")
    }

    @Test("An event that arrives while the service ends is recorded: it is not sent again after the restart")
    func end() async throws {
        let folder = try TemporaryFolder()
        let queue = Self.queue(folder)
        let sender = AnalyticsSender(
            queue,
            [
                EventReceiver("webhook") { _ in
                    queue.finish()
                    // Ends when the delivery is canceled.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                }
            ], Logger(label: "test"), JumpingClock().deliveries)
        queue.record(Self.event(1))
        try await sender.run()
        let next = Self.queue(folder)
        try await next.open(for: ["webhook"])
        #expect(next.statistics.waiting == 0)
    }

    @Test("A wrong clock counts no attempt against an event, however often it fails")
    func clock() {
        var machine = OutboxMachine(lanes: [.init()], parallel: 1, seed: 1)
        var now = OutboxMachine.Moment(steady: 0, wall: nil)
        var effects = machine.handle(.jobs([.init(id: 1, lane: 0, captured: 1)], lane: 0, isDrained: true), at: now)
        for _ in 0..<3 * OutboxMachine.mostFailures {
            #expect(effects == [.deliver(1)])
            #expect(machine.handle(.failed(1, .clock("not yet valid")), at: now) == [])
            now.steady = machine.wake ?? 0
            effects = machine.handle(.time, at: now)
        }
        #expect(machine.handle(.failed(1, .clock("not yet valid")), at: now) == [])
        #expect(machine.handle(.clockStepped, at: now) == [.deliver(1)])
        #expect(machine.handle(.delivered(1, .confirmed(.answer)), at: now).first == .finish(1, .answer))
    }

    private static func queue(_ folder: TemporaryFolder) -> AnalyticsQueue {
        AnalyticsQueue(path: folder.path + "/analytics.db", keepFor: .seconds(3600))
    }

    /// Changes the file of the queue as another program.
    private static func change(_ folder: TemporaryFolder, _ statement: String) {
        do {
            try Database(folder.path + "/analytics.db", .write).run(statement)
        } catch {
            Issue.record(error)
        }
    }

    private static func event(_ number: Int) -> ProductEvent {
        ProductEvent(type: "event.\(number)", time: .now(), data: [])
    }

    /// Runs a sender until `body` has returned.
    private static func run(
        _ sender: AnalyticsSender, until queue: AnalyticsQueue, _ body: () async throws -> Void
    ) async throws {
        async let end: Void = sender.run()
        defer { queue.finish() }
        try await body()
        queue.finish()
        try await end
    }
}

/// The types of events that arrived.
private final class Recorder: Sendable {
    let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func add(_ text: String) {
        let event = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        continuation.yield(event?["type"] as? String ?? text)
    }

    func types(_ count: Int) async -> [String] {
        var types: [String] = []
        for await type in stream {
            types.append(type)
            if types.count == count { break }
        }
        return types
    }
}

/// A clock that jumps to each moment for which a delivery waits.
private final class JumpingClock: Sendable {
    private let state = Mutex((now: ClockTime.after(.zero), pauses: [Duration]()))

    var pauses: [Duration] { state.withLock { $0.pauses } }

    var deliveries: DeliveryClock {
        DeliveryClock(
            now: { self.state.withLock { $0.now } },
            sleep: { moment in
                self.state.withLock { state in
                    guard moment > state.now else { return }
                    state.pauses.append(moment - state.now)
                    state.now = moment
                }
            })
    }
}

/// A log that keeps its lines.
private final class RecordedLog: Sendable {
    private let text = Mutex([String]())

    var lines: [String] { text.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.text.withLock { $0.append("\(event.message)") } }
    }
}

extension TemporaryFolder {
    /// A file with the secret of signatures, which only this user can read.
    fileprivate var secret: String {
        get throws {
            let path = try write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
            chmod(path, 0o600)
            return path
        }
    }
}
#endif
