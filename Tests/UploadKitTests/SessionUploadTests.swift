// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import DatabaseKit
import Foundation
import FrameMeasures
import Glibc
import SystemBase
import Testing

@testable import SessionModel
@testable import UploadKit

@Suite("Pictures of sessions for the outbox", .timeLimit(.minutes(2)))
struct SessionUploadTests {
    private let setting: SessionSetting

    init() throws { setting = try SessionSetting() }

    @Test func `The crops, views and results of accepted sessions arrive, and nothing of others`() async throws {
        try setting.write("avatar-1", ending: .accepted, isWhole: true)
        try setting.write("avatar-2", ending: nil)
        try setting.write("avatar-3", ending: .cancelled)
        try await setting.run { events in
            #expect(
                await events.sent(4).sorted() == [
                    "board/avatar/avatar-1/front-001-crop.jpg", "board/avatar/avatar-1/front-001-left.jpg",
                    "board/avatar/avatar-1/front-002.jpg", "board/avatar/avatar-1/strip.jpg",
                ])
        }
        #expect(try setting.store().targets()["nas"]?.sentCount == 4)
    }

    @Test func `The clip of a session arrives without its first picture`() async throws {
        try setting.write("avatar-1", ["front-001.jpg", "front-002.mp4"], ending: .accepted)
        try await setting.run { events in
            #expect(
                await events.sent(2).sorted() == [
                    "board/avatar/avatar-1/front-001.jpg", "board/avatar/avatar-1/front-002.mp4",
                ])
        }
    }

    @Test func `A session that is accepted later is sent then, and once`() async throws {
        try setting.write("avatar-1", ending: nil)
        try await setting.run { events in
            try setting.write("avatar-1", ending: .accepted)
            #expect(await events.sent(2).count == 2)
            try setting.write("avatar-2", ending: .accepted)
            #expect(await events.sent(2).count == 2)
        }
        try setting.write("avatar-3", ending: .accepted)
        try await setting.run { #expect(await $0.sent(1) == ["board/avatar/avatar-3/front-001.jpg"]) }
    }

    @Test func `A session whose process still runs is not sent: it may add results`() async throws {
        try setting.write("avatar-1", ending: .accepted)
        let lock = try setting.lock("avatar-1")
        let sessions = try SessionUploads(setting.sessions, try setting.store())
        #expect(try sessions.register().pending == ["avatar-1"])
        close(lock)
        #expect(try sessions.register().pending.isEmpty)
        #expect(try sessions.newestLine() == 2)
    }

    @Test func `Lines stay with their pictures, also if a folder gets the name of one that is gone`() throws {
        let sessions = try SessionUploads(setting.sessions, try setting.store())
        try setting.write("avatar-1", ending: .accepted)
        try setting.write("avatar-2", ending: .accepted, minute: 1)
        _ = try sessions.register()
        #expect(try sessions.newestLine() == 4)
        try setting.folder.remove("sessions/avatar-1")
        _ = try sessions.register()
        try setting.write("avatar-1", ending: .accepted, minute: 2)
        _ = try sessions.register()
        #expect(try sessions.newestLine() == 6)
        let page = try sessions.pictures(in: 1...6, .oldest, most: 100)
        let pictures = page.pictures
        #expect(page.unsent.sorted() == [1, 2] && page.lines == 1...6)
        #expect(pictures.map(\.line) == [3, 4, 5, 6])
        #expect(pictures.map(\.run) == ["avatar-2", "avatar-2", "avatar-1", "avatar-1"])
    }

    @Test(arguments: [UploadOrder.oldest, .newest])
    func `Whole sessions are read from one end, as many as are wanted`(order: UploadOrder) throws {
        let sessions = try SessionUploads(setting.sessions, try setting.store())
        for number in 1...5 { try setting.write("avatar-\(number)", ending: .accepted, minute: Int64(number)) }
        _ = try sessions.register()
        let page = try sessions.pictures(in: 1...10, order, most: 3)
        #expect(page.lines == (order == .oldest ? 1...4 : 7...10))
        #expect(page.pictures.map(\.line) == Array(page.lines) && page.unsent.isEmpty)
    }

    @Test func `A damaged record is an error, and others are sent`() throws {
        try setting.folder.write("sessions/avatar-0/session.json", "{")
        try setting.write("avatar-1", ending: .accepted)
        let search = try SessionUploads(setting.sessions, try setting.store()).register()
        #expect(search.errors.count == 1)
        #expect(try setting.store().knownSource(setting.sessions, identity: "sessions") != nil)
    }

    @Test func `The backlog counts sessions, also before a sender has found them`() throws {
        try setting.write("avatar-1", ending: .accepted)
        let backlog = try OutboxBacklog(of: "nas", setting.configuration, try setting.store())
        #expect(backlog.count == 2 && backlog.errors.isEmpty)
        #expect(backlog.oldest?.seconds == SessionSetting.ended(0).seconds)
    }

    @Test func `The end of a consent erases the pictures at the target`() async throws {
        try setting.write("avatar-1", ending: .accepted, keeping: .seconds(3600))
        try await setting.run(after: 3599) { #expect(await $0.sent(2).count == 2) }
        try await setting.run(after: 3600) { events in
            let names = ["front-001.jpg", "front-002.jpg"].map { "board/avatar/avatar-1/" + $0 }
            #expect(await events.erased(2).sorted() == names)
        }
        #expect(setting.received("avatar-1").isEmpty)
        #expect(try setting.store().jobs(isDead: false).isEmpty)
        // Nothing is sent or erased again.
        try setting.write("avatar-2", ending: .accepted, minute: 1)
        try await setting.run(after: 7200) { #expect(await $0.sent(2).allSatisfy { $0.contains("avatar-2") }) }
    }

    @Test func `A session whose pictures are erased is not searched again, and the search reads an index`() async throws
    {
        try setting.write("avatar-1", ending: .accepted, keeping: .seconds(3600))
        try setting.write("avatar-2", ending: .accepted, minute: 1, keeping: .seconds(7200))
        try await setting.run(after: 0) { #expect(await $0.sent(4).count == 4) }
        let store = try setting.store()
        let source = try store.source(setting.sessions, identity: SessionUploads.identity)
        let late = WallTime(seconds: SessionSetting.ended(0).seconds + 4000, nanoseconds: 0, utcOffset: 0)
        #expect(try store.dueRuns(of: source, at: late).map(\.name) == ["avatar-1"])
        try await setting.run(after: 4000) { #expect(await $0.erased(2).count == 2) }
        #expect(try store.dueRuns(of: source, at: late).isEmpty)
        #expect(try store.nextExpiry(of: source, after: late)?.seconds == SessionSetting.ended(1).seconds + 7200)
        try store.perform { database throws(DatabaseError) in
            let plan = try database.prepare(
                """
                EXPLAIN QUERY PLAN SELECT name FROM run
                WHERE source = ? AND retention_s IS NOT NULL AND settled = 0 AND ended_s + retention_s <= ?
                """, [.integer(1), .integer(1)])
            #expect(try plan.next())
            #expect(try plan.requiredText(3).contains("USING INDEX run_by_end (source=? AND <expr><?)"))
        }
    }

    @Test func `A session is searched until a target that is away has its pictures no more`() async throws {
        try setting.write("avatar-1", ["front-001.jpg"], ending: .accepted, keeping: .seconds(60))
        try await setting.run(after: 0) { #expect(await $0.sent(1).count == 1) }
        setting.transport.set(.access("denied"))
        try await setting.run(after: 60) { #expect(await $0.condition("access") != nil) }
        setting.transport.set(nil)
        try await setting.run(after: 61) { #expect(await $0.erased(1).count == 1) }
        #expect(setting.received("avatar-1").isEmpty)
    }

    @Test func `Pictures whose consent has ended before they were sent never leave the machine`() async throws {
        try setting.write("avatar-1", ending: .accepted, keeping: .seconds(60))
        try setting.write("avatar-2", ending: .accepted, minute: 1)
        try await setting.run(after: 60) { #expect(await $0.sent(2).allSatisfy { $0.contains("avatar-2") }) }
        #expect(setting.received("avatar-1").isEmpty)
    }

    @Test func `An erasure that a target refuses is dead until a person tries again`() async throws {
        try setting.write("avatar-1", ["front-001.jpg"], ending: .accepted, keeping: .seconds(60))
        try await setting.run(after: 0) { #expect(await $0.sent(1).count == 1) }
        setting.transport.set(.refused("not allowed"))
        try await setting.run(after: 60) { events in
            let job = try #require(await events.dead())
            #expect(job.kind == .erase && job.line.contains("erase"))
            setting.transport.set(nil)
            try setting.store().add(OutboxRequest(.retry, target: "nas", job: job.id))
            #expect(await events.erased(1).count == 1)
        }
        #expect(setting.received("avatar-1").isEmpty)
    }

    @Test func `Pictures with an end of consent do not go to a target that cannot erase`() async throws {
        var place = UploadTarget(id: "nas", service: .http(.init()), address: "http://127.0.0.1")
        #expect(!place.canErase)
        var http = UploadTarget.HTTP()
        http.canErase = true
        place.service = .http(http)
        #expect(place.canErase)
        setting.configuration.targets[0].place = UploadTarget(
            id: "nas", service: .http(.init()), address: "http://127.0.0.1")
        try setting.write("avatar-1", ending: .accepted, keeping: .seconds(3600))
        try setting.write("avatar-2", ending: .accepted, minute: 1)
        try await setting.run(after: 0) { #expect(await $0.sent(2).allSatisfy { $0.contains("avatar-2") }) }
        #expect(setting.received("avatar-1").isEmpty)
    }

    @Test func `Small copies are JPEGs of at most 1280 columns, and whole pictures stay`() async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/page.png")
        let picture = try [UInt8](Data(contentsOf: page))
        setting.configuration.routes[0].isSmall = true
        try setting.write("avatar-1", ["front-001.png"], ending: .accepted, content: picture)
        try await setting.run { events in
            #expect(await events.sent(1) == ["board/avatar/avatar-1/front-001.jpg"])
        }
        let copy = try RegularFile.read(
            setting.folder.path + "/target/board/avatar/avatar-1/front-001.jpg", most: 1 << 22)
        #expect(copy.starts(with: [0xFF, 0xD8]) && copy.count < picture.count)
        #expect(DeviceFiles.names(in: setting.folder.path + "/outbox/copies").isEmpty)
        #expect(try RegularFile.read(setting.sessions + "/avatar-1/front-001.png", most: 1 << 24) == picture)
    }

    @Test func `The state of a picture of a session is known by its file`() async throws {
        func words(_ name: String, _ run: String) throws -> [UploadState.Word] {
            let states = try setting.store().states(
                ofPicture: name, in: "\(setting.sessions)/\(run)", setting.configuration)
            return states.map(\.word)
        }
        try setting.write("avatar-1", ending: .accepted)
        #expect(try words("front-001.jpg", "avatar-1") == [])
        _ = try SessionUploads(setting.sessions, try setting.store()).register()
        #expect(try words("front-001.jpg", "avatar-1") == [.waiting])
        try await setting.run { #expect(await $0.sent(2).count == 2) }
        #expect(try words("front-002.jpg", "avatar-1") == [.sent])
        #expect(try words("front-003.jpg", "avatar-1") == [] && words("front-001.jpg", "avatar-2") == [])
    }

    @Test func `A store of an earlier version keeps its jobs`() throws {
        let store = try setting.store()
        let lane = OutboxStore.Lane(target: "nas", source: try store.source("/a", identity: "x"))
        _ = try store.take(1...1, [(UploadPicture.sample, "a")], lane)
        try store.perform { database throws(DatabaseError) in
            try database.run(
                """
                DROP TABLE run; DROP TABLE sent; ALTER TABLE job DROP COLUMN run; ALTER TABLE job DROP COLUMN stage;
                DROP TABLE naming; DROP TABLE named; DROP TABLE kept; DROP TABLE cursor; PRAGMA user_version = 1
                """)
            // SQLite cannot drop a column with a check.
            try database.run(
                """
                CREATE TABLE copy AS SELECT number, target, source, line, path, bytes, sha256, taken, board, series, camera,
                    name, state, failures, reason, token FROM job;
                DROP TABLE job; ALTER TABLE copy RENAME TO job
                """)
        }
        #expect(try setting.store().jobs(isDead: false).map(\.name) == ["a"])
    }
}

/// A folder of sessions and a target.
private final class SessionSetting {
    let folder: TemporaryFolder
    let transport: FolderTransport
    var configuration: OutboxConfiguration

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("target/.keep", "")
        try folder.write("sessions/.keep", "")
        transport = FolderTransport(folder.path + "/target")
        configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        let place = UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1")
        var target = OutboxConfiguration.Target(place)
        target.parallel = 1
        target.name = try UploadName("{board}/{series}/{run}/{file}.{extension}")
        configuration.targets = [target]
        var route = OutboxConfiguration.Route(folder: folder.path + "/sessions", targets: ["nas"], series: "")
        route.kind = .sessions
        configuration.routes = [route]
    }

    var sessions: String { folder.path + "/sessions" }

    func store() throws(CaptureError) -> OutboxStore { try OutboxStore(folder: folder.path + "/outbox") }

    static func ended(_ minute: Int64) -> WallTime {
        WallTime(seconds: 1_780_000_000 + 60 * minute, nanoseconds: 0, utcOffset: 0)
    }

    /// Writes a session with pictures, or changes its record.
    ///
    /// - Parameter isWhole: `true` for a crop and a view of the first picture, and a result.
    func write(
        _ run: String, _ names: [String] = ["front-001.jpg", "front-002.jpg"], ending: SessionProgress.Ending?,
        minute: Int64 = 0, isWhole: Bool = false, keeping: Duration? = nil,
        content: [UInt8]? = nil
    ) throws {
        var (stage, stills) = (StageProgress(name: "front"), [Int: SessionStill]())
        for (index, name) in names.enumerated() {
            var still = SessionStill(number: index + 1, stage: "front", file: try file(run, name, content))
            (still.role, still.camera, still.taken) = (.front, "usb-1", Self.ended(minute).iso8601)
            if name.hasSuffix(".mp4") {
                still.duration = .seconds(5)
                still.poster = try file(run, String(name.dropLast(3)) + "jpg", content)
            }
            if isWhole, index == 0 { try complete(&still, run) }
            stills[index + 1] = still
            stage.pictures.append(SessionPicture(number: index + 1, camera: .front))
        }
        var progress = SessionProgress(session: "avatar", stages: [stage])
        (progress.nextPicture, progress.ending) = (names.count + 1, ending)
        var record = SessionRecord(
            title: "Avatar", begun: Self.ended(minute).iso8601, progress: progress, stills: stills)
        record.retention = keeping
        if ending != nil { record.ended = Self.ended(minute).iso8601 }
        if isWhole { record.results = [try file(run, "strip.jpg", content)] }
        // As the session replaces it.
        try folder.write("sessions/\(run)/.new", record.json)
        #expect(rename("\(sessions)/\(run)/.new", "\(sessions)/\(run)/session.json") == 0)
    }

    private func complete(_ still: inout SessionStill, _ run: String) throws {
        let corners = Quadrilateral([PixelPoint(0, 0), PixelPoint(9, 0), PixelPoint(9, 9), PixelPoint(0, 9)])
        still.crop = SessionCrop(file: try file(run, "front-001-crop.jpg", nil), corners: corners)
        still.views = [
            .init(
                role: try #require(CameraRole(rawValue: "left")), camera: "usb-2",
                file: try file(run, "front-001-left.jpg", nil), taken: Self.ended(0).iso8601, offset: .zero)
        ]
    }

    private func file(_ run: String, _ name: String, _ content: [UInt8]?) throws -> SessionFileRecord {
        let bytes = content ?? Array("\(run) \(name)".utf8)
        try folder.write("sessions/\(run)/\(name)", "")
        try Data(bytes).write(to: URL(filePath: "\(sessions)/\(run)/\(name)"))
        return SessionFileRecord(name: name, bytes, width: 1, height: 1)
    }

    /// Locks the folder of a session, as the process that runs it does, until the descriptor is closed.
    func lock(_ run: String) throws -> Int32 {
        let descriptor = open(sessions + "/" + run, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor
    }

    /// The files of a session at the target.
    func received(_ run: String) -> [String] {
        DeviceFiles.names(in: folder.path + "/target/board/avatar/" + run).sorted()
    }

    /// Runs a sender during a body.
    ///
    /// - Parameter seconds: The time since the end of the first session.
    func run(after seconds: Int64 = 0, _ body: (SenderEvents) async throws -> Void) async throws {
        let clock = AgeClock(.init(wall: Self.ended(0).seconds + seconds, steady: 0, isSynchronized: true))
        let events = SenderEvents()
        let store = try OutboxStore(folder: folder.path + "/outbox")
        let inlet = events.inlet
        let sender = OutboxSender(
            configuration, store, ["nas": transport], clock: { clock }, report: { inlet.yield($0) })
        let task = Task { await sender.run() }
        try await body(events)
        task.cancel()
        await task.value
    }
}
