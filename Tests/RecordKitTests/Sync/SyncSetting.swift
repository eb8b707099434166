// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import SessionModel
import Synchronization
import Testing

@testable import RecordKit

/// A clock that tests set.
final class SyncTime: Sendable {
    private let now = Mutex<Int64>(1_000_000_000)
    /// The offset of the device's time of day, in milliseconds.
    private let offset: Int64

    init(offset: Int64 = 0) { self.offset = offset }

    var steady: Int64 { now.withLock { $0 } }

    func pass(_ span: Duration) { now.withLock { $0 += span.nanoseconds } }

    /// Lets time pass until a moment.
    func pass(until moment: Int64) { now.withLock { $0 = max($0, moment) } }

    var clock: SyncDesk.Clock {
        SyncDesk.Clock(
            steady: { self.steady },
            wall: { 1_800_000_000_000 + self.offset + self.steady / 1_000_000 })
    }
}

/// A device with its store and its desk.
final class SyncDevice {
    let folder: TemporaryFolder
    let store: RecordStore
    let time: SyncTime
    let backend: ModelBackend
    private(set) var desk: SyncDesk
    private(set) var events: [RecordSyncEvent] = []

    static let kind: RecordKind = {
        var kind = RecordKind(id: "card", title: "Card")
        kind.fields = ["a", "b", "c"].map { RecordField(FormField(name: $0)) }
        kind.sides = [RecordSide(name: "front"), RecordSide(name: "back")]
        return kind
    }()

    init(_ backend: ModelBackend, _ time: SyncTime = SyncTime()) throws {
        (self.backend, self.time) = (backend, time)
        folder = try TemporaryFolder(isInMemory: true)
        store = try RecordStore(folder: folder.path + "/records", kinds: [Self.kind], .create)
        desk = try Self.desk(store, backend, time)
        desk.handle(.time)
    }

    private static func desk(
        _ store: RecordStore, _ backend: ModelBackend, _ time: SyncTime
    ) throws -> SyncDesk {
        try SyncDesk("card", store, backend, time.clock, poll: .seconds(60), seed: 1)
    }

    /// Starts again, as after a crash.
    func crash() throws {
        desk = try Self.desk(store, backend, time)
        desk.handle(.time)
    }

    /// Performs one effect, or lets time pass until the next round begins.
    ///
    /// - Returns: `false` if only a person can change anything.
    @discardableResult
    func step() async -> Bool {
        guard !desk.hasEffects else {
            events += await desk.perform()
            return true
        }
        guard let wake = desk.machine.wake else { return false }
        time.pass(until: wake)
        desk.handle(.time)
        return true
    }

    /// Performs a round to its end.
    func round(_ input: SyncMachine.Input = .retry) async {
        desk.handle(input)
        while desk.hasEffects { events += await desk.perform() }
    }

    /// Takes the reported events.
    func takeEvents() -> [RecordSyncEvent] {
        defer { events = [] }
        return events
    }

    var question: SyncQuestion? {
        if case .stopped(let question) = desk.machine.condition { question } else { nil }
    }

    /// Answers the question, and performs a round.
    func answer(_ answer: SyncAnswer) async throws {
        try store.answer(answer, "card")
        try desk.look(isChanged: true)
        while desk.hasEffects { events += await desk.perform() }
    }

    // MARK: Records

    @discardableResult
    func create(_ values: [String: String], id: RecordID = .random()) throws -> RecordID {
        try store.create("card", RecordContent(values: values), id: id).id
    }

    func record(_ id: RecordID) throws -> Record? { try store.record(id) }

    func values(_ id: RecordID) throws -> [String: String]? {
        guard let record = try record(id), !record.isTrashed else { return nil }
        return record.content.values
    }

    func set(_ id: RecordID, _ field: String, _ value: String?) throws {
        let record = try #require(try record(id))
        var content = record.content
        content.values[field] = value
        _ = try store.change(id, from: record.revision, to: content)
    }

    func trash(_ id: RecordID) throws {
        _ = try store.trash(id, from: try #require(try record(id)).revision)
    }

    func restore(_ id: RecordID) throws {
        _ = try store.restore(id, from: try #require(try record(id)).revision)
    }

    func resolve(_ id: RecordID, _ part: RecordPart?, _ choice: RecordChoice) throws {
        _ = try store.resolve(id, part, choice, from: try #require(try record(id)).revision, actor: nil)
    }

    func sync(_ id: RecordID) throws -> RecordRow.Sync? {
        try store.perform { database throws(DatabaseError) in try store.row(id, in: database)?.sync }
    }
}
