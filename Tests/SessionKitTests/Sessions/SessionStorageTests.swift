// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite("Storing a session", .timeLimit(.minutes(5)))
struct SessionStorageTests {
    @Test("A temporary folder is in XDG_RUNTIME_DIR if that is absolute, or else in /tmp")
    func shelter() {
        #expect(SessionStorage.shelterParents(runtime: "/run/user/1000") == ["/run/user/1000", "/tmp"])
        for value in [nil, "", "run", "./run"] { #expect(SessionStorage.shelterParents(runtime: value) == ["/tmp"]) }
    }

    /// Puts a FIFO in place of a session's record, which no save replaces: saves fail, and pictures are stored.
    private static func blockRecord(of controller: SessionController) async throws {
        let record = try #require(await controller.snapshot().folder) + "/" + SessionRecord.fileName
        try FileManager.default.removeItem(atPath: record)
        try #require(mkfifo(record, 0o600) == 0)
    }

    private static func unblockRecord(of controller: SessionController) async throws {
        let record = try #require(await controller.snapshot().folder) + "/" + SessionRecord.fileName
        try FileManager.default.removeItem(atPath: record)
    }

    @Test("A picture that is replaced while saves fail is removed when the record is saved again")
    func removedLater() async throws {
        let folder = try TemporaryFolder()
        let reviews = Mutex(0)
        let account = await SessionAccount.of(.quick("one"), .folder(in: folder.path)) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            switch event {
            case .phase(let phase) where phase.name == .ready: await controller.trigger()
            case .phase(let phase) where phase.name == .review:
                let count = reviews.withLock { count in
                    count += 1
                    return count
                }
                // A picture is stored after the saves before it: that of the second retake, after those that failed.
                if count == 2 { await controller.retake(stage: 0) }
                guard count == 3 else { return }
                try? await Self.unblockRecord(of: controller)
                await controller.accept()
            case .review where reviews.withLock(\.self) == 1:
                try? await Self.blockRecord(of: controller)
                await controller.retake(stage: 0)
            default: break
            }
        }
        #expect(account.outcome.ending == .accepted)
        #expect(account.notices.contains { $0.code == .sessionNotSaved })
        let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
        #expect(record.pictures.map(\.number) == [3])
        let removed = account.events.compactMap { if case .removed(let numbers, _) = $0 { numbers } else { nil } }
        #expect(removed == [[1], [2]])
    }

    @Test("A session that is canceled while saves fail ends as canceled, and leaves no files")
    func canceledUnsaved() async throws {
        let folder = try TemporaryFolder()
        let account = await SessionAccount.reviewed(.quick("one"), in: folder.path) { _, controller in
            try? await Self.blockRecord(of: controller)
            await controller.cancel()
        }
        #expect(account.notices.contains { $0.code == .sessionNotSaved })
        #expect(account.outcome.ending == .cancelled)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A session that cannot be resumed because its disk is not mounted keeps its record")
    func unmounted() async throws {
        let folder = try TemporaryFolder()
        let session = SessionDescription.quick("one", "two")
        let path = try #require(await SessionAccount.left(session, in: folder.path).outcome.folder)
        let before = try SessionAccount.expectWhole(path)
        let refused = await SessionAccount.of(session, .resumed(folder: path)) { $0.storage.mount = folder.path }
        #expect(refused.failure?.subject == folder.path)
        #expect(try SessionAccount.expectWhole(path) == before)
    }

    @Test("A session that cannot be resumed because a file cannot be removed keeps its pictures")
    func blockedResume() async throws {
        let folder = try TemporaryFolder()
        let session = SessionDescription.quick("one", "two")
        let path = try #require(await SessionAccount.left(session, in: folder.path).outcome.folder)
        let before = try SessionAccount.expectWhole(path)
        // Not even root can unlink a folder.
        let stray = path + "/two-009.jpg"
        try FileManager.default.createDirectory(atPath: stray, withIntermediateDirectories: false)
        let refused = await SessionAccount.of(session, .resumed(folder: path))
        #expect(refused.failure?.subject?.hasSuffix("/two-009.jpg") == true && refused.outcome.folder == path)
        try FileManager.default.removeItem(atPath: stray)
        #expect(try SessionAccount.expectWhole(path) == before)
        #expect(await SessionAccount.of(session, .resumed(folder: path)).outcome.ending == .accepted)
    }

    @Test("A user who cancels a session that is being resumed leaves it, without confirmation, and loses no picture")
    func hasty() async throws {
        let folder = try TemporaryFolder()
        let session = SessionDescription.quick("one", "two")
        let path = try #require(await SessionAccount.left(session, in: folder.path).outcome.folder)
        let before = try SessionAccount.expectWhole(path)
        let controller = SessionAccount.controller(session, .resumed(folder: path))
        // Before run(): nothing of the earlier run is known yet.
        await controller.cancelAfterConfirmation()
        #expect(await controller.run().ending == .left)
        #expect(try SessionAccount.expectWhole(path) == before)
    }

    @Test("A session whose folder could not be made reports no folder to resume")
    func neverMade() async throws {
        let parent = try TemporaryFolder()
        let output = parent.path + "/out"
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
        var session = SessionDescription.quick("one", "two", countdown: .seconds(60))
        (session.stages[0].isSkippable, session.nextStages) = (true, .trigger)
        let account = await SessionAccount.of(session, .folder(in: output)) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            switch (phase.name, phase.stage) {
            case (.ready, _):
                try? FileManager.default.removeItem(atPath: output)
                await controller.trigger()
            case (.counting, _): await controller.abort()
            case (.armed, 0): await controller.skip()
            case (.armed, _): await controller.leave()
            default: break
            }
        }
        #expect(account.outcome.ending == .left && account.outcome.skipped == ["one"])
        #expect(account.notices.contains { $0.code == .sessionNotSaved })
        #expect(account.outcome.folder == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }

    @Test("A session with more pictures than its record can list is refused")
    func tooLarge() async throws {
        var session = SessionDescription.quick("one", "two")
        session.stages[0].pictures = 1001
        #expect(await SessionAccount.of(session).failure?.code == .configuration)
        (session.stages[0].pictures, session.stages[1].pictures) = (1000, 1000)
        session.stages.append(SessionStage(name: "three"))
        #expect(await SessionAccount.of(session).failure?.code == .configuration)
    }

    @Test("A canceled session whose pictures cannot be removed fails, and its error names one of them")
    func unremoved() async throws {
        let folder = try TemporaryFolder()
        let account = await SessionAccount.reviewed(.quick("one"), in: folder.path) { _, controller in
            // Not even root can unlink a folder.
            let path = await controller.snapshot().folder ?? folder.path
            try? FileManager.default.createDirectory(
                atPath: path + "/one-009.jpg", withIntermediateDirectories: false)
            await controller.cancel()
        }
        #expect(account.failure?.subject?.hasSuffix("/one-009.jpg") == true)
        #expect(account.outcome.folder == nil)
    }

    @Test("A session that cannot be removed is not reported as discarded, and can be discarded later")
    func undiscarded() async throws {
        let folder = try TemporaryFolder()
        let record = SessionRecord(.quick("one"))
        let path = folder.path + "/quick"
        try folder.write("quick/" + SessionRecord.fileName, record.json)
        let copy = path + "/" + SessionFolder.definitionName
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        let entry = try SessionArchive.entry(at: path)
        let error = await #expect(throws: CaptureError.self) { try await entry.discard() }
        #expect(error?.subject == copy)
        #expect(try SessionArchive.entry(at: path).record == record)
        try FileManager.default.removeItem(atPath: copy)
        try await entry.discard()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// The path of a picture that goes to the caller, in the temporary folder of its session.
    private static func pathForCaller(of name: String) -> String? {
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? "/tmp"
        func paths(in folder: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { folder + "/" + $0 }
        }
        let shelters = paths(in: runtime).filter { $0.hasPrefix(runtime + "/gst-capture-") }
        return shelters.flatMap(paths).flatMap(paths).first { $0.hasSuffix("/" + name) }
    }

    @Test("An accepted session fails if a picture for the caller cannot be read")
    func unread() async throws {
        // Only the name of the picture tells its folder from those of other sessions.
        let stage = "one-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let account = await SessionAccount.of(.quick(stage, "two")) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            switch event {
            case .phase(let phase) where phase.name == .ready: await controller.trigger()
            case .review(let stills):
                if let path = Self.pathForCaller(of: stills[0].file.name) {
                    try? FileManager.default.removeItem(atPath: path)
                }
                await controller.accept()
            default: break
            }
        }
        #expect(account.failure?.code == .noInput)
        #expect(account.outcome.pictures.map { $0.bytes == nil } == [true, false])
    }

    @Test(
        "A session is stored in a folder that may be written and not read",
        .enabled(if: getuid() != 0, "optional: root may read any folder"))
    func dropBox() async throws {
        let parent = try TemporaryFolder()
        let drop = parent.path + "/drop"
        try #require(mkdir(drop, 0o700) == 0 && chmod(drop, 0o333) == 0)
        let folder = SessionFolder(in: drop, session: "quick", definition: "stages: []")
        try await folder.prepare()
        let path = try await folder.add([1], as: "one-001.jpg", width: 1, height: 1).path
        try #require(chmod(drop, 0o700) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: drop).map { drop + "/" + $0 } == [path])
        #expect(try await folder.read("one-001.jpg") == [1])
    }

    @Test("A picture that cannot be removed does not prevent the removal of the others")
    func stuck() async throws {
        let parent = try TemporaryFolder()
        let folder = SessionFolder(in: parent.path, session: "quick", definition: nil)
        try await folder.add([1], as: "one-002.jpg", width: 1, height: 1)
        let path = await folder.path
        // Not even root can unlink a folder.
        try FileManager.default.createDirectory(atPath: path + "/one-001.jpg", withIntermediateDirectories: false)
        let error = await #expect(throws: CaptureError.self) {
            try await folder.remove(["one-001.jpg", "one-002.jpg"])
        }
        #expect(error?.subject == path + "/one-001.jpg")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["one-001.jpg"])
    }
}
