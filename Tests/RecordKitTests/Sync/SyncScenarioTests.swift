// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Testing

@testable import RecordKit

@Suite("The synchronization of two devices")
struct SyncScenarioTests {
    private let backend = ModelBackend()
    private let one: SyncDevice
    private let two: SyncDevice

    init() throws { (one, two) = (try SyncDevice(backend), try SyncDevice(backend)) }

    /// Performs rounds on both devices until both have the changes of the other one.
    private func settle() async {
        for _ in 0..<2 { for device in [one, two] { await device.round() } }
    }

    // MARK: Changes

    @Test("A record, its changes and its deletion arrive on the other device")
    func arrives() async throws {
        let id = try one.create(["a": "1"])
        await settle()
        #expect(try two.values(id) == ["a": "1"])
        try two.set(id, "b", "2")
        await settle()
        #expect(try one.values(id) == ["a": "1", "b": "2"])
        try one.trash(id)
        await settle()
        #expect(try two.values(id) == nil && two.record(id)?.isTrashed == true)
        try two.restore(id)
        await settle()
        #expect(try one.values(id) == ["a": "1", "b": "2"])
        #expect(try one.sync(id) == .clean && two.sync(id) == .clean)
    }

    @Test("Changes of different parts are merged, and those of the same part are a conflict until a person chooses")
    func conflict() async throws {
        let id = try one.create(["a": "1"])
        await settle()
        try one.set(id, "a", "mine")
        try one.set(id, "b", "mine")
        try two.set(id, "a", "theirs")
        try two.set(id, "c", "theirs")
        await settle()
        #expect(try one.values(id) == ["a": "mine", "b": "mine"])
        #expect(try two.values(id) == ["a": "theirs", "b": "mine", "c": "theirs"])
        // The second one has met the version of the first.
        let conflicts = try two.store.conflicts(of: id)
        #expect(conflicts.map(\.part) == [.field("a")])
        #expect(conflicts[0].mine.content?.values == ["a": "theirs"])
        #expect(conflicts[0].theirs.content?.values == ["a": "mine"])
        #expect(try two.store.conflicted("card", most: 10) == [id])
        // Nothing is pushed meanwhile.
        try two.set(id, "b", "later")
        await settle()
        #expect(backend.content(of: id)?.values["b"] == "mine")
        try two.resolve(id, .field("a"), .theirs)
        await settle()
        for device in [one, two] {
            #expect(try device.values(id) == ["a": "mine", "b": "later", "c": "theirs"])
            #expect(try device.sync(id) == .clean)
        }
    }

    @Test("Deleted against changed is a conflict of the record", arguments: RecordChoice.allCases)
    func deletedAgainstChanged(choice: RecordChoice) async throws {
        let id = try one.create(["a": "1"])
        await settle()
        try one.trash(id)
        try two.set(id, "a", "2")
        await settle()
        #expect(try two.values(id) == ["a": "2"])
        #expect(try two.store.conflicts(of: id).map(\.part) == [nil])
        try two.resolve(id, nil, choice)
        await settle()
        for device in [one, two] { #expect(try device.values(id) == (choice == .mine ? ["a": "2"] : nil)) }
        #expect(try two.store.conflicts(of: id).isEmpty)
        #expect(backend.content(of: id)?.values == (choice == .mine ? ["a": "2"] : nil))
    }

    @Test("Changed against deleted is a conflict of the record", arguments: RecordChoice.allCases)
    func changedAgainstDeleted(choice: RecordChoice) async throws {
        let id = try one.create(["a": "1"])
        await settle()
        try two.trash(id)
        try one.set(id, "a", "2")
        await settle()
        #expect(try two.record(id)?.isTrashed == true)
        try two.resolve(id, nil, choice)
        await settle()
        for device in [one, two] { #expect(try device.values(id) == (choice == .theirs ? ["a": "2"] : nil)) }
    }

    @Test("A resolution is refused for another revision, and without a conflict")
    func wrongResolution() async throws {
        let id = try one.create(["a": "1"])
        #expect(throws: RecordRefusal.self) { try one.resolve(id, .field("a"), .mine) }
        await settle()
        try one.set(id, "a", "2")
        try two.set(id, "a", "3")
        await settle()
        let revision = try #require(try two.record(id)).revision
        #expect(throws: RecordRefusal.self) {
            try two.store.resolve(id, .field("a"), .mine, from: revision + 1, actor: nil)
        }
    }

    @Test("A change that is made while a record is pushed is pushed, too")
    func changedMeanwhile() async throws {
        let id = try one.create(["a": "1"])
        let store = try RecordStore(folder: one.folder.path + "/records", kinds: [SyncDevice.kind], .create)
        nonisolated(unsafe) let other = store
        backend.beforeNextChange {
            guard let record = try? other.record(id) else { return }
            _ = try? other.change(id, from: record.revision, to: RecordContent(values: ["a": "2"]))
        }
        await one.round()
        await one.round()
        #expect(backend.content(of: id)?.values == ["a": "2"])
        #expect(try one.sync(id) == .clean)
    }

    // MARK: Lost answers

    /// Performs a round of the first device whose pushes have an effect, and no answer.
    private func loseAnswer() async {
        backend.beforeNextChange { [backend] in backend.faults.after = 100 }
        await one.round()
        backend.faults.after = 0
    }

    @Test("A change whose answer was lost is not in conflict with the change after it")
    func lostAnswer() async throws {
        let id = try one.create(["a": "1"])
        await loseAnswer()
        #expect(try one.sync(id) == .dirty)
        try one.set(id, "a", "2")
        await settle()
        for device in [one, two] { #expect(try device.values(id) == ["a": "2"]) }
        #expect(try one.store.conflicts(of: id).isEmpty)
    }

    @Test("A change that is taken back while its answer is lost is taken back everywhere")
    func takenBack() async throws {
        let id = try one.create(["a": "1"])
        await settle()
        try one.set(id, "a", "2")
        await loseAnswer()
        #expect(backend.content(of: id)?.values == ["a": "2"])
        try one.set(id, "a", "1")
        #expect(try one.sync(id) == .clean)
        await settle()
        for device in [one, two] { #expect(try device.values(id) == ["a": "1"]) }
        // A deletion that is taken back.
        try one.trash(id)
        await loseAnswer()
        #expect(backend.content(of: id) == nil)
        try one.restore(id)
        await settle()
        for device in [one, two] { #expect(try device.values(id) == ["a": "1"]) }
    }

    @Test("A record that is deleted before the answer to its creation came is deleted everywhere")
    func deletedBeforeAnswer() async throws {
        let id = try one.create(["a": "1"])
        await loseAnswer()
        try one.trash(id)
        await settle()
        await settle()
        #expect(backend.content(of: id) == nil)
        #expect(try one.sync(id) == .clean)
    }

    // MARK: Faults

    @Test("A refused record has its reason, blocks no other, and is tried again after a change")
    func refused() async throws {
        let id = try one.create(["a": "1"])
        let other = try one.create(["a": "2"])
        backend.faults.refused = [id]
        await one.round()
        #expect(try one.store.refusal(id) == "the server refuses the record")
        #expect(one.takeEvents().contains(.refused("card", id, "the server refuses the record")))
        #expect(backend.content(of: other) != nil)
        _ = backend.takeRequests()
        await one.round()
        #expect(!backend.takeRequests().contains("put \(id)"))
        backend.faults.refused = []
        try one.set(id, "a", "3")
        await one.round()
        #expect(backend.content(of: id)?.values == ["a": "3"])
        #expect(try one.store.refusal(id) == nil)
    }

    @Test("A record on which the backend breaks blocks no other, now and later")
    func broken() async throws {
        let id = try one.create(["a": "1"])
        let other = try one.create(["a": "2"])
        backend.faults.broken = [id]
        for _ in 0..<40 { await one.step() }
        #expect(backend.content(of: other) != nil)
        let third = try one.create(["a": "3"])
        try one.desk.look(isChanged: true)
        for _ in 0..<20 { await one.step() }
        #expect(backend.content(of: third) != nil)
        #expect(one.time.steady < 3_600_000_000_000)
        backend.faults.broken = []
        for _ in 0..<40 { await one.step() }
        #expect(backend.content(of: id) != nil)
    }

    @Test("A damaged record of the backend is reported once, and blocks no other")
    func damaged() async throws {
        let id = RecordID.random()
        backend.change(id, to: RecordContent(values: ["": "no name"]))
        let other = RecordID.random()
        backend.change(other, to: RecordContent(values: ["a": "1"]))
        await one.round()
        await one.round()
        let damaged = one.takeEvents().filter { if case .damaged = $0 { true } else { false } }
        #expect(damaged.count == 1)
        #expect(try one.record(id) == nil && one.values(other) == ["a": "1"])
    }

    @Test("Weeks without the backend lose nothing, and its first answer ends them")
    func offline() async throws {
        let id = try one.create(["a": "1"])
        await settle()
        backend.faults.isDown = true
        for day in 0..<20 {
            one.time.pass(.seconds(86_400))
            try one.set(id, "a", "\(day)")
            for _ in 0..<5 { await one.step() }
        }
        guard case .failing(let fault) = one.desk.machine.condition else {
            Issue.record("the collection does not fail")
            return
        }
        #expect(fault.reason == "the server does not answer" && !fault.isOfAccess)
        backend.faults.isDown = false
        for _ in 0..<10 { await one.step() }
        #expect(backend.content(of: id)?.values == ["a": "19"])
        #expect(one.desk.machine.condition == .ready)
    }

    @Test("Refused credentials are a fault of access")
    func access() async {
        backend.faults.isUnauthorized = true
        await one.round()
        guard case .failing(let fault) = one.desk.machine.condition else {
            Issue.record("the collection does not fail")
            return
        }
        #expect(fault.isOfAccess)
    }

    // MARK: Backends that lost records

    private func fill(_ count: Int) async throws -> [RecordID] {
        let ids = try (0..<count).map { try one.create(["a": "\($0)"]) }
        await settle()
        return ids
    }

    @Test("A backend that was emptied stops the collection, and gets the records again", arguments: [true, false])
    func emptied(hasOldETag: Bool) async throws {
        let ids = try await fill(5)
        backend.empty(hasOldETag: hasOldETag)
        await one.round()
        #expect(one.question == .emptied(known: 5))
        #expect(try one.store.syncState(of: "card").question == one.question)
        #expect(try ids.allSatisfy { try one.values($0) != nil })
        // It stays stopped after a restart, and nothing is pushed.
        try one.crash()
        for _ in 0..<10 { await one.step() }
        #expect(one.question != nil && ids.allSatisfy { backend.content(of: $0) == nil })
        try await one.answer(.push)
        #expect(one.question == nil && ids.allSatisfy { backend.content(of: $0) != nil })
        await two.round()
        if two.question != nil { try await two.answer(.push) }
        #expect(try ids.allSatisfy { try two.values($0) != nil })
    }

    @Test("An emptied backend that a person accepts empties the device into its trash")
    func acceptedEmptiness() async throws {
        let ids = try await fill(5)
        backend.empty(hasOldETag: false)
        await one.round()
        try await one.answer(.accept)
        #expect(one.question == nil)
        for id in ids { #expect(try one.record(id)?.isTrashed == true && one.sync(id) == .clean) }
    }

    @Test("A backend that was restored from an older copy gets the newer versions again")
    func restored() async throws {
        let ids = try await fill(3)
        let copy = backend.content
        try one.set(ids[0], "a", "newer")
        try two.set(ids[1], "a", "newer")
        let new = try one.create(["a": "new"])
        await settle()
        backend.content = copy
        for device in [one, two] {
            await device.round()
            #expect(device.question == .older)
        }
        for device in [one, two] { try await device.answer(.push) }
        await settle()
        for device in [one, two] {
            #expect(try device.values(ids[0]) == ["a": "newer"] && device.values(ids[1]) == ["a": "newer"])
            #expect(try device.values(new) == ["a": "new"])
            #expect(try device.store.conflicted("card", most: 10).isEmpty)
        }
    }

    @Test("A restored backend is found also after other devices have changed it")
    func restoredUnseen() async throws {
        let ids = try await fill(3)
        let copy = backend.content
        let new = try one.create(["a": "new"])
        await one.round()
        await one.round()
        backend.content = copy
        // Its ETag is larger than before.
        backend.change(ids[0], to: RecordContent(values: ["a": "other"]))
        await one.round()
        #expect(one.question == .older)
        try await one.answer(.push)
        #expect(backend.content(of: new)?.values == ["a": "new"])
        // Which of the two is newer is not known.
        #expect(try one.store.conflicts(of: ids[0]).map(\.theirs.content?.values) == [["a": "other"]])
    }

    @Test("A backend that was restored right after a push is found")
    func restoredAfterPush() async throws {
        let ids = try await fill(3)
        let copy = backend.content
        let new = try one.create(["a": "new"])
        await one.round()
        backend.content = copy
        backend.change(ids[0], to: RecordContent(values: ["a": "other"]))
        await one.round()
        #expect(one.question == .older)
        #expect(try one.values(new) == ["a": "new"])
    }

    @Test("More than twenty deletions and a tenth at once stop the collection")
    func deletions() async throws {
        let ids = try await fill(100)
        for id in ids.prefix(21) { backend.change(id, to: nil) }
        await one.round()
        #expect(one.question == .deletions(21, of: 100))
        #expect(try ids.allSatisfy { try one.values($0) != nil })
        try await one.answer(.accept)
        #expect(one.question == nil)
        #expect(try ids.prefix(21).allSatisfy { try one.values($0) == nil })
        #expect(try ids.dropFirst(21).allSatisfy { try one.values($0) != nil })
        // The other device gets its records back.
        await two.round()
        try await two.answer(.push)
        #expect(ids.allSatisfy { backend.content(of: $0) != nil })
    }

    @Test("Twenty deletions, or a tenth, are ordinary")
    func fewDeletions() async throws {
        let ids = try await fill(40)
        for id in ids.prefix(20) { backend.change(id, to: nil) }
        await one.round()
        #expect(one.question == nil)
        #expect(try ids.prefix(20).allSatisfy { try one.values($0) == nil })
    }

    @Test("An answer to another question is not taken")
    func otherQuestion() async throws {
        let ids = try await fill(100)
        for id in ids.prefix(21) { backend.change(id, to: nil) }
        await one.round()
        backend.empty(hasOldETag: false)
        try await one.answer(.accept)
        #expect(one.question == .emptied(known: 100))
        #expect(try ids.allSatisfy { try one.values($0) != nil })
    }

    // MARK: Clocks

    @Test("After thirty days a full list finds deletions that the backend has forgotten")
    func forgottenDeletions() async throws {
        let ids = try await fill(5)
        backend.faults.isDown = true
        one.time.pass(.seconds(31 * 86_400))
        await one.round()
        backend.change(ids[0], to: nil)
        backend.change(ids[1], to: RecordContent(values: ["a": "later"]))
        backend.purge()
        backend.faults.isDown = false
        _ = backend.takeRequests()
        await one.round()
        #expect(backend.takeRequests().contains("list card 0"))
        #expect(try one.values(ids[0]) == nil && one.question == nil)
        _ = backend.takeRequests()
        await one.round()
        #expect(!backend.takeRequests().contains("list card 0"))
    }

    @Test("A clock that is a day or a year off changes nothing", arguments: [-365, -1, 1, 365])
    func wrongClock(days: Int64) async throws {
        let three = try SyncDevice(backend, SyncTime(offset: days * 86_400_000))
        let id = try one.create(["a": "1"])
        await settle()
        await three.round()
        try three.set(id, "b", "3")
        try one.set(id, "a", "2")
        await three.round()
        await settle()
        await three.round()
        for device in [one, two, three] { #expect(try device.values(id) == ["a": "2", "b": "3"]) }
    }

    // MARK: Quiet

    @Test("A round without news writes nothing, and lists one record")
    func quiet() async throws {
        _ = try await fill(20)
        await one.round()
        let stamp = try one.store.perform { database throws(DatabaseError) in
            try database.number("SELECT total_changes()")
        }
        _ = backend.takeRequests()
        for _ in 0..<5 { await one.round() }
        #expect(backend.takeRequests().count == 5)
        let later = try one.store.perform { database throws(DatabaseError) in
            try database.number("SELECT total_changes()")
        }
        #expect(later == stamp)
    }
}
