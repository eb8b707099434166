// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import ScheduleKit
import Testing

@testable import UploadKit

@Suite("A sender", .timeLimit(.minutes(2)))
struct OutboxSenderTests {
    @Test func `Pictures of a ledger arrive under their names, also those that are captured meanwhile`() async throws {
        let setting = try Setting()
        let series = try await setting.series(["a.jpg", "b.jpg"])
        try await setting.run { events in
            #expect(await events.sent(2) == ["board/garden/a.jpg", "board/garden/b.jpg"])
            try await series.add("c.jpg")
            #expect(await events.sent(1) == ["board/garden/c.jpg"])
        }
        #expect(try setting.store().targets()["nas"]?.sentCount == 3)
        #expect(setting.received == ["board/garden/a.jpg", "board/garden/b.jpg", "board/garden/c.jpg"])
    }

    @Test func `A series that begins later is found`() async throws {
        let setting = try Setting()
        try await setting.run { events in
            _ = try await setting.series(["a.jpg"])
            #expect(await events.sent(1) == ["board/garden/a.jpg"])
        }
    }

    @Test func `A picture is sent once, also after restarts`() async throws {
        let setting = try Setting()
        let series = try await setting.series(["a.jpg"])
        try await setting.run { #expect(await $0.sent(1).count == 1) }
        try await series.add("b.jpg")
        try await setting.run { #expect(await $0.sent(1) == ["board/garden/b.jpg"]) }
    }

    @Test func `Without its store, a sender finds that the target has the pictures`() async throws {
        let setting = try Setting()
        _ = try await setting.series(["a.jpg", "b.jpg"])
        try await setting.run { #expect(await $0.sent(2).count == 2) }
        try setting.folder.remove("outbox")
        try await setting.run { #expect(await $0.sent(2).count == 2) }
        #expect(setting.received.count == 2)
    }

    @Test func `Pictures of a target that has failed arrive when a person tries again`() async throws {
        let setting = try Setting()
        setting.transport.set(.access("the server refuses the password"))
        _ = try await setting.series(["a.jpg"])
        try await setting.run { events in
            let state = await events.condition("access")
            #expect(state?.reason == "the server refuses the password")
            setting.transport.set(nil)
            try setting.store().add(OutboxRequest(.retry, target: "nas"))
            #expect(await events.sent(1).count == 1)
        }
    }

    @Test func `A refused picture is dead until a person retries it`() async throws {
        let setting = try Setting()
        setting.transport.set(.refused("too large"))
        _ = try await setting.series(["a.jpg"])
        try await setting.run { events in
            let job = try #require(await events.dead())
            #expect(job.reason == "too large")
            setting.transport.set(nil)
            try setting.store().add(OutboxRequest(.retry, target: "nas", job: job.id))
            #expect(await events.sent(1).count == 1)
        }
        #expect(try setting.store().jobs(isDead: true).isEmpty)
    }

    @Test func `A paused target stays paused after a restart`() async throws {
        let setting = try Setting()
        try setting.store().add(OutboxRequest(.pause, target: "nas"))
        _ = try await setting.series(["a.jpg"])
        try await setting.run { #expect(await $0.condition("paused") != nil) }
        try await setting.run { events in
            #expect(await events.condition("paused") != nil)
            try setting.store().add(OutboxRequest(.resume, target: "nas"))
            #expect(await events.sent(1).count == 1)
        }
    }

    @Test func `A ledger cannot make a sender read files outside of its folder`() async throws {
        let setting = try Setting()
        let series = try await setting.series([])
        try await series.record(setting.folder.write("secret.jpg", "secret"))
        try await series.record("../secret.jpg")
        try await series.add("a.jpg")
        try await setting.run { #expect(await $0.sent(1) == ["board/garden/a.jpg"]) }
        #expect(setting.received.count == 1)
        #expect(setting.sentLines() == [3...3])
    }

    @Test func `A picture of a type that is not sent does not count as sent`() async throws {
        let setting = try Setting()
        _ = try await setting.series(["a.webp", "b.jpg", "c.raw", "d.webp", "e.png"])
        try await setting.run { #expect(await $0.sent(2).count == 2) }
        #expect(setting.sentLines() == [2...2, 5...5])
    }

    @Test func `A picture that was removed before it was sent is skipped`() async throws {
        let setting = try Setting()
        _ = try await setting.series(["a.jpg", "b.jpg"])
        try setting.folder.remove("garden/a.jpg")
        try await setting.run { #expect(await $0.sent(1) == ["board/garden/b.jpg"]) }
        #expect(try setting.store().targets()["nas"]?.skippedCount == 1)
    }
}

/// A folder with a series and a target.
private struct Setting {
    let folder: TemporaryFolder
    let transport: FolderTransport
    private let configuration: OutboxConfiguration

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("target/.keep", "")
        transport = FolderTransport(folder.path + "/target")
        var configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        let place = UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1")
        var target = OutboxConfiguration.Target(place)
        target.parallel = 1
        target.name = try UploadName("{board}/{series}/{file}.{extension}")
        configuration.targets = [target]
        configuration.routes = [.init(folder: folder.path + "/garden", targets: ["nas"], series: "garden")]
        self.configuration = configuration
    }

    func store() throws(CaptureError) -> OutboxStore { try OutboxStore(folder: folder.path + "/outbox") }

    func series(_ names: [String]) async throws -> Series {
        let series = Series(folder, try await Self.ledger(folder))
        for name in names { try await series.add(name) }
        return series
    }

    private static func ledger(_ folder: TemporaryFolder) async throws -> Ledger {
        try folder.write("garden/.gst-capture/.keep", "")
        let ledger = Ledger(
            folder.path + "/garden/.gst-capture/series.ledger",
            series: .init(template: "%n.jpg", interval: .seconds(10), schedule: "every 10s"))
        try await ledger.open()
        return ledger
    }

    /// The lines of the series that the target has.
    func sentLines() -> [ClosedRange<Int>] {
        let ledger = folder.path + "/garden/.gst-capture/series.ledger"
        let lines = SentLines(of: ledger, [.init(ledger: ledger, target: "nas")], store: folder.path + "/outbox")
        _ = lines.refresh()
        return lines.ranges
    }

    /// The files of the target.
    var received: [String] {
        let board = folder.path + "/target/board/garden"
        return DeviceFiles.names(in: board).sorted().map { "board/garden/" + $0 }
    }

    /// Runs a sender during a body.
    func run(_ body: (SenderEvents) async throws -> Void) async throws {
        let events = SenderEvents()
        let sender = OutboxSender(configuration, try store(), ["nas": transport]) { events.inlet.yield($0) }
        let task = Task { await sender.run() }
        try await body(events)
        task.cancel()
        await task.value
    }
}

/// The ledger of a series.
private final class Series {
    private let folder: TemporaryFolder
    private let ledger: Ledger
    private var count = 0

    init(_ folder: TemporaryFolder, _ ledger: Ledger) { (self.folder, self.ledger) = (folder, ledger) }

    func add(_ name: String) async throws { try await record(folder.write("garden/" + name, "picture " + name)) }

    func record(_ path: String) async throws {
        count += 1
        let due = WallTime(seconds: 1_800_000_000 + Int64(count), nanoseconds: 0, utcOffset: 0)
        let digest = try? FileDigest(path, most: 1000)
        let still = LedgerStill(
            captured: due, errorMilliseconds: 0, isLate: false, file: path, byteCount: digest?.byteCount ?? 1, width: 1,
            height: 1, sha256: digest?.sha256 ?? String(repeating: "0", count: 64), burstIndex: 0, sequence: count)
        try await ledger.append([
            LedgerEntry(slots: count...count, cause: .schedule, due: due, lastDue: due, outcome: .captured(still))
        ])
    }
}
