// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import StillKit
import Testing

@testable import UploadKit

@Suite("Deleted pictures at targets", .timeLimit(.minutes(2)))
struct DeletionTests {
    private let setting: DeletionSetting

    init() async throws { setting = try await DeletionSetting() }

    @Test func `A picture that a person deletes is erased at the target, while a sender runs and after it has run`()
        async throws
    {
        try await setting.add("a.jpg", "b.jpg", "c.jpg")
        try await setting.run { events in
            #expect(await events.sent(3).count == 3)
            try await setting.remove("a.jpg")
            #expect(await events.erased(1) == ["garden/a.jpg"])
        }
        try await setting.remove("c.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg"])
        #expect(try setting.open.isEmpty)
    }

    @Test(arguments: ["age", "count", "size", "space", "sent", "missing"])
    func `The removal by a limit erases nothing`(reason: String) async throws {
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        try await setting.remove("a.jpg", reason)
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg", "b.jpg"])
        #expect(try setting.open.isEmpty)
    }

    @Test func `Pictures are erased under the names that they got, also after the template has changed`() async throws {
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        setting.configuration.targets[0].name = try UploadName("{series}/{line}-{camera}.{extension}")
        setting.configuration.routes[0].camera = "yard"
        try await setting.add("c.jpg", "d.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["3-yard.jpg", "4-yard.jpg", "a.jpg", "b.jpg"])
        setting.configuration.routes[0].camera = ""
        for name in ["a.jpg", "c.jpg"] { try await setting.remove(name) }
        try await setting.runOnce()
        #expect(setting.received == ["4-yard.jpg", "b.jpg"])
    }

    @Test func `A picture with another name because its own was taken is erased, and the other file stays`()
        async throws
    {
        try setting.folder.write("target/garden/a.jpg", "of another program")
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["a-2.jpg", "a.jpg", "b.jpg"])
        for name in ["a.jpg", "b.jpg"] { try await setting.remove(name) }
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
    }

    @Test func `A picture that is deleted while it waits never arrives`() async throws {
        setting.transport.set(.access("denied"))
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        #expect(try setting.open.count == 2)
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        setting.transport.set(nil)
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg"])
        #expect(try setting.open.isEmpty)
        #expect(try setting.store().targets()["nas"]?.sentCount == 1)
    }

    @Test func `A picture that is deleted while it is being sent is erased when it has arrived`() async throws {
        let gate = setting.transport.hold()
        try await setting.add("a.jpg")
        try await setting.run { events in
            var begun = setting.transport.beginnings.makeAsyncIterator()
            #expect(await begun.next() == "garden/a.jpg")
            // The transfer has the file open.
            let copy = try setting.folder.write("copy.jpg", "")
            #expect(rename(setting.file("a.jpg"), copy) == 0)
            try await setting.remove("a.jpg")
            while try setting.open.first?.isDeleted != true { await Task.yield() }
            #expect(rename(copy, setting.file("a.jpg")) == 0)
            gate.finish()
            #expect(await events.erased(1) == ["garden/a.jpg"])
        }
        #expect(setting.received.isEmpty)
    }

    @Test func `A picture that had arrived when the sender was killed is erased, and a file of another one stays`()
        async throws
    {
        try setting.folder.write("target/garden/b.jpg", "of another program")
        setting.transport.loseAnswers()
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        #expect(setting.received.contains("a.jpg"))
        for name in ["a.jpg", "b.jpg"] { try await setting.remove(name) }
        try await setting.runOnce()
        // The fault keeps the target until a person tries again.
        try setting.store().add(OutboxRequest(.retry, target: "nas"))
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg"])
        #expect(try setting.open.isEmpty)
    }

    @Test func `A target that is away erases the picture when it is back`() async throws {
        try await setting.add("a.jpg")
        try await setting.runOnce()
        setting.transport.set(.access("denied"))
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
        setting.transport.set(nil)
        try await setting.runOnce()
        #expect(setting.received.isEmpty)
    }

    @Test func `A sender that is killed after it has read a deletion erases the picture at its next start`()
        async throws
    {
        setting.transport.set(.access("denied"))
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        setting.transport.set(nil)
        let store = try setting.store()
        let source = try #require(try LedgerUploads(setting.path)).identity
        let number = try store.source(setting.path, identity: source)
        try setting.folder.write("target/garden/b.jpg", "picture 2")
        for name in ["a.jpg", "b.jpg"] { try await setting.remove(name) }
        let deletions = try #require(try LedgerUploads(setting.path)).deletions(after: 0, most: 9)
        #expect(deletions.pictures.count == 2)
        let target = DeletionTarget(id: "nas", address: "http://127.0.0.1", canErase: true, naming: nil)
        // The sender has one picture less in memory than the store.
        let jobs = try store.takeDeletions(deletions.pictures, of: number, at: [target], upTo: deletions.last)
        #expect(jobs.allSatisfy { $0.kind == .send && $0.isDeleted })
        try await setting.runOnce()
        #expect(setting.received.isEmpty)
        #expect(try setting.open.isEmpty)
    }

    @Test func `An erased name is not sent again, also by a sender without its store`() async throws {
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        try setting.folder.remove("outbox")
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg"])
    }

    @Test func `The new picture of an erased name stays, also if the deletion is read again`() async throws {
        try await setting.add("a.jpg")
        try await setting.runOnce()
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        try await setting.add("a.jpg")
        try await setting.runOnce()
        let uploads = try #require(try LedgerUploads(setting.path))
        let source = try setting.store().source(setting.path, identity: uploads.identity)
        try setting.store().setPosition(0, of: source)
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
        #expect(try setting.open.isEmpty)
    }

    // MARK: Targets that do not erase

    @Test func `Nothing is erased at a target with erase-deleted: no`() async throws {
        setting.configuration.targets[0].erasesDeleted = false
        try await setting.add("a.jpg")
        try await setting.runOnce()
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
        #expect(try setting.store().kept(at: "nas", most: 9).isEmpty)
    }

    @Test func `A target that cannot erase keeps the picture, which is listed once and is no fault`() async throws {
        setting.configuration.targets[0].place.service = .http(.init())
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        try await setting.remove("a.jpg")
        for _ in 0..<2 { try await setting.runOnce() }
        let store = try setting.store()
        let kept = try store.kept(at: "nas", most: 9)
        #expect(kept.map(\.name) == ["garden/a.jpg"])
        #expect(kept.first?.line == "kept  garden/a.jpg  the target cannot erase pictures")
        let report = try #require(try TargetReport.all(setting.configuration, store).first)
        #expect(report.state.keptCount == 1 && report.state.deadCount == 0 && report.backlog.count == 0)
        #expect(report.cells.last == "everything is sent; 1 deleted picture stays there")
    }

    @Test func `A picture that was sent to another address stays there, and no file of the new one is erased`()
        async throws
    {
        try await setting.add("a.jpg")
        try await setting.runOnce()
        setting.configuration.targets[0].place.address = "http://127.0.0.2"
        try await setting.remove("a.jpg")
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
        #expect(try setting.store().kept(at: "nas", most: 9).map(\.reason) == ["it was sent to another address"])
    }

    // MARK: Earlier versions

    @Test func `A picture that an earlier version has sent is erased if its name is right, and kept otherwise`()
        async throws
    {
        try await setting.add("a.jpg", "b.jpg")
        try await setting.runOnce()
        try setting.forgetNames()
        // Its name follows from another template.
        #expect(rename(setting.folder.path + "/target/garden/b.jpg", setting.folder.path + "/target/garden/x.jpg") == 0)
        try setting.folder.write("target/garden/b.jpg", "of another program")
        for name in ["a.jpg", "b.jpg"] { try await setting.remove(name) }
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg", "x.jpg"])
        #expect(try setting.store().kept(at: "nas", most: 9).map(\.number) == [2])
    }

    // MARK: The trash

    @Test func `A picture that leaves the trash for good is erased, and not before`() async throws {
        try await setting.add("a.jpg", "b.jpg", "c.jpg")
        try await setting.runOnce()
        let trash = TrashFolder(setting.folder.path)
        try trash.delete(["garden/a.jpg"], sha256: try hash("a.jpg"), as: "board.garden-1", at: .now())
        try trash.delete(["garden/b.jpg"], sha256: try hash("b.jpg"), as: "board.garden-2", at: .now())
        try await setting.run { events in
            try trash.erase("board.garden-1")
            try await setting.add("d.jpg")
            #expect(await events.erased(1) == ["garden/a.jpg"])
            _ = try trash.restore("board.garden-2")
        }
        try await setting.runOnce()
        #expect(setting.received == ["b.jpg", "c.jpg", "d.jpg"])
    }

    @Test func `The line of an erased file is that with its hash`() async throws {
        try await setting.add("a.jpg")
        try await setting.runOnce()
        let trash = TrashFolder(setting.folder.path + "/garden")
        try trash.delete(["a.jpg"], sha256: try hash("a.jpg"), as: "board.garden-1", at: .now())
        // The name is free, and another picture gets it.
        setting.configuration.targets[0].name = try UploadName("{series}/{line}.{extension}")
        try await setting.add("a.jpg")
        try trash.erase("board.garden-1")
        try await setting.runOnce()
        #expect(setting.received == ["2.jpg"])
    }

    @Test func `A file that is back in its place is not erased`() async throws {
        try await setting.add("a.jpg")
        try await setting.runOnce()
        let trash = TrashFolder(setting.folder.path + "/garden")
        try trash.delete(["a.jpg"], sha256: try hash("a.jpg"), as: "board.garden-1", at: .now())
        try trash.erase("board.garden-1")
        try setting.folder.write("garden/a.jpg", "picture 1")
        try await setting.runOnce()
        #expect(setting.received == ["a.jpg"])
    }

    private func hash(_ name: String) throws -> String { try FileDigest(setting.file(name), most: 1000).sha256 }
}
