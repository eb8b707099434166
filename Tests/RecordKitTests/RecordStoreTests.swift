// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import SessionModel
import Testing

@testable import DatabaseKit
@testable import RecordKit

/// A store in a temporary folder, with a clock that stands still.
final class StoreSetting {
    private final class Clock {
        var now = WallTime(seconds: 1_800_000_000, nanoseconds: 123_456_789, utcOffset: 3600)
    }

    let folder: TemporaryFolder
    private let clock = Clock()
    private(set) var store: RecordStore

    /// The time of changes.
    var now: WallTime {
        get { clock.now }
        set { clock.now = newValue }
    }

    init(kinds: [RecordKind] = [card, post]) throws {
        folder = try TemporaryFolder(isInMemory: true)
        store = try RecordStore(folder: folder.path + "/records", kinds: kinds, .create) { [clock] in clock.now }
    }

    /// Opens the store again, with other kinds.
    func open(_ kinds: [RecordKind]) throws {
        store = try RecordStore(folder: folder.path + "/records", kinds: kinds, .create) { [clock] in clock.now }
    }

    static let card: RecordKind = {
        var kind = RecordKind(id: "card", title: "Card")
        kind.key = "number"
        var (number, owner, notes) = (FormField(name: "number"), FormField(name: "owner"), FormField(name: "notes"))
        (number.isRequired, notes.kind) = (true, .lines)
        kind.fields = [number, owner, notes].map(RecordField.init)
        kind.fields[1].isPersonal = true
        kind.sides = [RecordSide(name: "front"), RecordSide(name: "back")]
        kind.retention = .seconds(86400)
        return kind
    }()

    static let post: RecordKind = {
        var kind = RecordKind(id: "post", title: "Post")
        kind.fields = [RecordField(FormField(name: "caption"))]
        kind.sides = [RecordSide(name: "picture")]
        kind.sides[0].isRequired = true
        return kind
    }()

    func picture(_ number: Int = 0) throws -> RecordPicture {
        RecordPicture(try store.addBlob(SmallJPEG.bytes(number)))
    }

    @discardableResult
    func card(_ number: String, owner: String? = nil, notes: String? = nil) throws -> Record {
        var values = ["number": number]
        (values["owner"], values["notes"]) = (owner, notes)
        return try store.create("card", RecordContent(values: values))
    }

    func sync(_ id: RecordID) throws -> RecordRow.Sync? {
        try store.perform { database throws(DatabaseError) in try store.row(id, in: database)?.sync }
    }
}

/// Returns the faults of a refusal, as text.
private func faults(_ body: () throws -> Void) -> [String] {
    do {
        try body()
        return []
    } catch RecordRefusal.faults(let faults) {
        return faults.map { ($0.part.map { "\($0): " } ?? "") + $0.problem }
    } catch {
        return ["\(error)"]
    }
}

@Suite("The store of records")
struct RecordStoreTests {
    private let setting: StoreSetting
    private var store: RecordStore { setting.store }

    init() throws { setting = try StoreSetting() }

    // MARK: Changes

    @Test func `A record is created, changed, deleted and restored, and each version is kept`() throws {
        let first = try setting.card(" 123 ", owner: "Ann")
        #expect(first.content.values == ["number": "123", "owner": "Ann"] && first.revision == 1)
        #expect(first.changed == setting.now && !first.isTrashed && first.actor == nil)
        var content = first.content
        content.values["owner"] = "Bob"
        let second = try store.change(first.id, from: 1, to: content, actor: "page")
        #expect(second.revision == 2 && second.actor == "page")
        let third = try store.trash(first.id, from: 2)
        #expect(third.isTrashed && third.revision == 3)
        let fourth = try store.restore(first.id, version: 1, from: 3)
        #expect(fourth.content == first.content && fourth.revision == 4 && !fourth.isTrashed)
        #expect(try store.record(first.id) == fourth)
        let versions = try store.versions(first.id)
        #expect(versions.map(\.revision) == [4, 3, 2, 1] && versions.map(\.isTrashed) == [false, true, false, false])
        #expect(versions[2].content == content && versions[2].actor == "page")
    }

    @Test func `A record survives that the store is opened again`() throws {
        let record = try setting.card("1", notes: "two\nlines")
        try setting.open([StoreSetting.card])
        #expect(try store.record(record.id) == record)
        let reader = try RecordStore(folder: store.folder, kinds: [], .read)
        #expect(try reader.record(record.id) == record)
    }

    @Test func `A change of another version, of nothing and of deleted records is refused`() throws {
        let record = try setting.card("1")
        guard case .changed(let found)? = refusal({ try store.change(record.id, from: 7, to: record.content) }) else {
            Issue.record("was not refused")
            return
        }
        #expect(found == record)
        guard case .changed? = refusal({ try store.create("card", record.content, id: record.id) }),
            case .missing? = refusal({ try store.change(.random(), from: 1, to: record.content) })
        else {
            Issue.record("was not refused")
            return
        }
        try store.trash(record.id, from: 1)
        guard case .missing? = refusal({ try store.change(record.id, from: 2, to: RecordContent()) }),
            case .missing? = refusal({ try store.restore(record.id, version: 9, from: 2) }),
            case .other(let error)? = refusal({ try store.create("cart", RecordContent()) })
        else {
            Issue.record("was not refused")
            return
        }
        #expect(error.code == .noInput && error.advice == "did you mean card?")
    }

    private func refusal(_ body: () throws -> Record) -> RecordRefusal? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? RecordRefusal
        }
    }

    @Test func `The same content makes no new version`() throws {
        let record = try setting.card("1")
        var content = record.content
        content.values["number"] = "1 "
        content.values["notes"] = "  "
        #expect(try store.change(record.id, from: 1, to: content) == record)
        #expect(try store.restore(record.id, from: 1) == record)
        #expect(try store.versions(record.id).count == 1)
    }

    // MARK: Faults

    @Test func `All faults of a content are reported at once`() throws {
        let long = String(repeating: "a", count: 10_001)
        let content = RecordContent(
            values: ["owner": "a\u{7}b", "notes": long, "nmber": "1"], sides: ["frnt": try setting.picture()])
        let found = faults { _ = try store.create("card", content) }
        #expect(
            found == [
                "field:number: is required", "field:owner: contains a control character",
                "field:notes: is longer than 10000 bytes", "field:nmber: is not a field of card",
                "side:frnt: is not a side of card",
            ], "\(found)")
        #expect(try store.page(RecordQuery()).records.isEmpty)
    }

    @Test func `A fault never has a personal value`() throws {
        var kind = StoreSetting.card
        kind.fields[1].form.pattern = "[0-9]+"
        let found = kind.faults(in: RecordContent(values: ["number": "1", "owner": "Ann"]))
        #expect(found.map(\.problem) == ["the value does not have the right form"])
    }

    @Test func `Two records that are not in the trash never share a unique value`() throws {
        let first = try setting.card("1")
        #expect(faults { try setting.card("1") } == ["field:number: is that of another record"])
        let second = try setting.card("2")
        var content = second.content
        content.values["number"] = "1"
        #expect(faults { _ = try store.change(second.id, from: 1, to: content) }.count == 1)
        #expect(try store.faults(content, of: StoreSetting.card, for: second.id).count == 1)
        #expect(try store.faults(content, of: StoreSetting.card, for: first.id).isEmpty)
        _ = try store.trash(first.id, from: 1)
        let third = try store.change(second.id, from: 1, to: content)
        #expect(faults { _ = try store.restore(first.id, from: 2) } == ["field:number: is that of another record"])
        _ = try store.trash(third.id, from: 2)
        _ = try store.restore(first.id, from: 2)
    }

    @Test func `A part that the kind does not have any more may stay, but not change`() throws {
        let record = try setting.card("1", owner: "Ann")
        var kind = StoreSetting.card
        kind.fields.remove(at: 1)
        try setting.open([kind])
        var content = record.content
        content.values["notes"] = "new"
        let changed = try store.change(record.id, from: 1, to: content)
        content.values["owner"] = "Bob"
        #expect(
            faults { _ = try store.change(record.id, from: changed.revision, to: content) }
                == ["field:owner: is not a field of card"])
        content.values["owner"] = nil
        _ = try store.change(record.id, from: changed.revision, to: content)
    }

    // MARK: Pictures

    @Test func `A picture is stored once, whole, and readable only by its owner`() throws {
        let bytes = SmallJPEG.bytes(1)
        let blob = try store.addBlob(bytes)
        #expect(
            try store.addBlob(bytes) == blob && blob.width == 16 && blob.height == 8 && blob.byteCount == bytes.count)
        let path = try #require(store.blobPath(blob.sha256))
        #expect(path == "\(store.folder)/blobs/\(blob.sha256.prefix(2))/\(blob.sha256).jpg")
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
        for (name, mode) in [(path, 0o600), (store.path, 0o600), (store.folder, 0o700)] {
            let found = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(found == mode)
        }
        try Data("damage".utf8).write(to: URL(filePath: path))
        #expect(store.blob(blob.sha256) == nil)
        _ = try store.addBlob(bytes)
        #expect(store.blob(blob.sha256) == blob)
    }

    @Test(
        "Anything but a whole JPEG is refused",
        arguments: [
            [], Array("GIF89a".utf8), Array(SmallJPEG.bytes().dropLast(3)), Array(SmallJPEG.bytes().prefix(100)),
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
        ])
    func noPicture(bytes: [UInt8]) {
        #expect(throws: CaptureError.self) { try store.addBlob(bytes) }
    }

    @Test func `A picture that is too large is refused`() {
        let error = #expect(throws: CaptureError.self) {
            try store.addBlob(SmallJPEG.bytes() + [UInt8](repeating: 0, count: 32 << 20))
        }
        #expect(error?.message == "is larger than 32 MiB")
    }

    @Test func `A path is only that of a hash`() {
        for text in [
            "", "..", "../../etc/passwd", String(repeating: "A", count: 64), "ab/" + String(repeating: "0", count: 61),
        ] {
            #expect(store.blobPath(text) == nil && store.expectedBlobPath(text) == nil)
        }
    }

    @Test func `A record gets only pictures that are in the store, with their own sizes`() throws {
        let picture = try setting.picture()
        let wrong = try #require(
            RecordBlob(sha256: picture.file.sha256, byteCount: picture.file.byteCount, width: 1000, height: 8))
        let absent = try #require(
            RecordBlob(sha256: String(repeating: "0", count: 64), byteCount: 9, width: 16, height: 8))
        for blob in [wrong, absent] {
            let content = RecordContent(sides: ["picture": RecordPicture(blob)])
            #expect(
                faults { _ = try store.create("post", content) }
                    == ["side:picture: has a picture that is not in the store"])
        }
        _ = try store.create("post", RecordContent(sides: ["picture": picture]))
    }

    @Test func `A picture goes a day after the last version that has it, and never before`() throws {
        let (used, loose) = (try setting.picture(1), try setting.picture(2))
        let record = try store.create("post", RecordContent(sides: ["picture": used]))
        _ = try store.change(record.id, from: 1, to: RecordContent(sides: ["picture": try setting.picture(3)]))
        #expect(try store.collectBlobs() == 0)
        #expect(try store.collectBlobs(olderThan: .zero) == 1)
        #expect(store.blobPath(used.file.sha256) != nil && store.blobPath(loose.file.sha256) == nil)
        try store.purge(record.id)
        #expect(store.blobPath(used.file.sha256) == nil)
        #expect(try store.record(record.id) == nil && store.versions(record.id).isEmpty)
    }

    @Test func `A picture of two records stays when one of them is erased`() throws {
        let content = RecordContent(sides: ["picture": try setting.picture()])
        let (first, second) = (try store.create("post", content), try store.create("post", content))
        try store.purge(first.id)
        #expect(store.blobPath(content.sides["picture"]?.file.sha256 ?? "") != nil)
        try store.purge(second.id)
        #expect(store.blobPath(content.sides["picture"]?.file.sha256 ?? "") == nil)
    }

    // MARK: The backend

    @Test func `Each change is marked for the backend, unless it restores what the backend has`() throws {
        let record = try setting.card("1")
        #expect(try setting.sync(record.id) == .dirty)
        try mark("base = content, base_etag = 5, sync = 'clean'", record.id)
        var content = record.content
        content.values["notes"] = "new"
        _ = try store.change(record.id, from: 1, to: content)
        #expect(try setting.sync(record.id) == .dirty)
        _ = try store.change(record.id, from: 2, to: record.content)
        #expect(try setting.sync(record.id) == .clean)
        _ = try store.trash(record.id, from: 3)
        #expect(try setting.sync(record.id) == .dirty)
        try mark("sync = 'refused', reason = 'too large'", record.id)
        _ = try store.restore(record.id, from: 4)
        #expect(try setting.sync(record.id) == .clean)
        try mark("sync = 'conflict'", record.id)
        _ = try store.change(record.id, from: 5, to: content)
        #expect(try setting.sync(record.id) == .conflict)
    }

    private func mark(_ columns: String, _ id: RecordID) throws {
        _ = try store.perform { database throws(DatabaseError) in
            try database.insert("UPDATE record SET \(columns) WHERE id = ?", [.text(id.description)])
        }
    }

    // MARK: Care

    @Test func `Records end with the time of their kind, and leave the trash after 30 days`() throws {
        let (old, other) = (try setting.card("1"), try setting.card("2"))
        _ = try store.create("post", RecordContent(sides: ["picture": try setting.picture()]))
        setting.now.seconds += 86000
        _ = try store.change(other.id, from: 1, to: RecordContent(values: ["number": "3"]))
        let age = { (now: Int64) in { (time: Int64) -> Int64? in now - time } }
        setting.now.seconds += 1000
        #expect(try store.expire { _ in nil } == 0)
        #expect(try store.expire(age: age(setting.now.seconds)) == 1)
        #expect(try store.record(old.id)?.isTrashed == true && store.record(other.id)?.isTrashed == false)
        setting.now.seconds += 29 * 86400
        #expect(try store.emptyTrash(age: age(setting.now.seconds)) == 0)
        setting.now.seconds += 2 * 86400
        #expect(try store.emptyTrash(age: age(setting.now.seconds)) == 1)
        #expect(try store.record(old.id) == nil)
    }

    @Test func `A deletion that the backend does not know stays in the trash`() throws {
        let record = try setting.card("1")
        try mark("base = content, base_etag = 5", record.id)
        _ = try store.trash(record.id, from: 1)
        #expect(try store.emptyTrash { _ in 90 * 86400 } == 0)
        try mark("sync = 'clean', base = NULL", record.id)
        #expect(try store.emptyTrash { _ in 90 * 86400 } == 1)
    }

    @Test func `The last 20 versions, and those of 90 days, are kept`() throws {
        var record = try setting.card("0")
        func change() throws {
            setting.now.seconds += 10 * 86400
            record = try store.change(
                record.id, from: record.revision, to: RecordContent(values: ["number": "\(record.revision)"]))
        }
        for _ in 0..<40 { try change() }
        #expect(try store.versions(record.id).map(\.revision) == Array((22...41).reversed()))
        for _ in 0..<30 {
            setting.now.seconds += 86400
            record = try store.change(
                record.id, from: record.revision, to: RecordContent(values: ["number": "\(record.revision)"]))
        }
        // 30 days with one a day, and 60 with one in ten days.
        #expect(try store.versions(record.id).map(\.revision) == Array((35...71).reversed()))
    }

    @Test func `A copy of the database is whole, and can take its place`() throws {
        let record = try setting.card("1", owner: "Ann")
        _ = try store.care()
        #expect(try store.careDaily() == nil)
        _ = try setting.card("2")
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: store.folder + "/" + RecordStore.backupName, toPath: copy.path + "/" + RecordStore.fileName)
        let other = try RecordStore(folder: copy.path, kinds: [StoreSetting.card], .create)
        #expect(try other.page(RecordQuery()).records == [record])
    }

    @Test func `Several programs copy the database one after the other, and only one does the daily work`() async throws
    {
        for number in 0..<20 { try setting.card("\(number)") }
        let folder = store.folder
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let other = try RecordStore(folder: folder, kinds: [StoreSetting.card], .create)
                    try other.backUp()
                    return try other.page(RecordQuery()).total
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [20, 20, 20, 20])
        let lock = try FileLock(waitingFor: folder + "/care.lock")
        try FileManager.default.removeItem(atPath: folder + "/" + RecordStore.backupName)
        #expect(try store.careDaily() == nil)
        withExtendedLifetime(lock.descriptor) {}
    }

    @Test func `A damaged or foreign file is refused in one line that says what to do`() throws {
        _ = try setting.card("1")
        for (text, word) in [("not a database at all, but long enough", "is damaged"), ("", "no records yet")] {
            let folder = try TemporaryFolder()
            if !text.isEmpty { try folder.write("records.db", text) }
            let error = #expect(throws: CaptureError.self) {
                try RecordStore(folder: folder.path, kinds: [], text.isEmpty ? .read : .create)
            }
            #expect(error?.summary.contains(word) == true && error?.advice != nil, "\(String(describing: error))")
        }
        try store.perform { database throws(DatabaseError) in try database.run("PRAGMA user_version = 9") }
        #expect(throws: CaptureError.self) { try setting.open([]) }
    }

    @Test func `A database with random damage never traps`() throws {
        for number in 0..<30 { try setting.card("\(number)", owner: "Ann", notes: "words \(number)") }
        try store.backUp()
        let original = [UInt8](try Data(contentsOf: URL(filePath: store.folder + "/" + RecordStore.backupName)))
        var generator = SplitMix(9)
        for _ in 0..<60 {
            let folder = try TemporaryFolder(isInMemory: true)
            try Data(original.mutated(&generator)).write(to: URL(filePath: folder.path + "/records.db"))
            guard let damaged = try? RecordStore(folder: folder.path, kinds: [StoreSetting.card], .create) else {
                continue
            }
            var query = RecordQuery(kind: "card")
            _ = try? damaged.page(query)
            query.words = "words"
            _ = try? damaged.page(query)
            _ = try? damaged.create("card", RecordContent(values: ["number": "new"]))
            _ = try? damaged.care()
        }
    }

    @Test func `Two stores of one folder see each other's changes`() throws {
        let other = try RecordStore(folder: store.folder, kinds: [StoreSetting.card], .create)
        let record = try setting.card("1")
        let changed = try other.change(record.id, from: 1, to: RecordContent(values: ["number": "2"]))
        #expect(try store.record(record.id)?.revision == changed.revision)
        #expect(faults { try setting.card("2") } == ["field:number: is that of another record"])
    }
}
