// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import DatabaseKit
import Foundation
import Glibc
import StillKit
import SystemBase
import Testing

@testable import UploadKit

@Suite("Clips for the outbox", .timeLimit(.minutes(2)))
struct ClipUploadTests {
    private let setting: ClipSetting

    init() throws { setting = try ClipSetting() }

    @Test func `Complete and repaired clips arrive, and one that is being recorded does not`() async throws {
        try setting.record("1.mp4")
        try setting.begin("2.mp4")
        let repaired = try setting.begin("3.mp4")
        try setting.end(repaired, as: .repaired)
        try setting.end(try setting.begin("4.mp4"), as: .gone)
        try await setting.runOnce()
        #expect(setting.received == ["1.mp4", "3.mp4"])
        #expect(
            try RegularFile.read(setting.folder.path + "/target/door/1.mp4", most: 1000) == Array("clip 1.mp4".utf8))
    }

    @Test func `A clip is sent when it is complete, without a restart`() async throws {
        let id = try setting.begin("1.mp4")
        try await setting.run { events in
            try setting.end(id)
            #expect(await events.sent(1) == ["door/1.mp4"])
            try setting.record("2.mp4")
            #expect(await events.sent(1) == ["door/2.mp4"])
        }
    }

    @Test func `The list of the first clip may come later`() async throws {
        try setting.folder.remove("door")
        try await setting.run { events in
            try setting.folder.write("door/.gst-capture/.keep", "")
            try setting.makeList()
            try setting.record("1.mp4")
            #expect(await events.sent(1) == ["door/1.mp4"])
        }
    }

    @Test func `A clip that is repaired after later ones were sent is sent, too, and once`() async throws {
        let cut = try setting.begin("1.mp4")
        for name in ["2.mp4", "3.mp4"] { try setting.record(name) }
        try await setting.runOnce()
        #expect(setting.received == ["2.mp4", "3.mp4"] && setting.sentLines == [2...3])
        try setting.end(cut, as: .repaired)
        try setting.record("4.mp4")
        try await setting.run { #expect(await $0.sent(2).sorted() == ["door/1.mp4", "door/4.mp4"]) }
        try await setting.runOnce()
        #expect(try setting.store().targets()["nas"]?.sentCount == 4)
        #expect(setting.sentLines == [1...4])
    }

    @Test func `The newest clip is first if the route says so`() async throws {
        setting.configuration.routes[0].options.order = .newest
        for name in ["1.mp4", "2.mp4", "3.mp4"] { try setting.record(name) }
        try await setting.run { #expect(await $0.sent(3) == ["door/3.mp4", "door/2.mp4", "door/1.mp4"]) }
    }

    @Test func `A name can have the hash, which the list does not have`() async throws {
        setting.configuration.targets[0].name = try UploadName("{board}/%Y/{camera}-{line}-{hash}.{extension}")
        setting.configuration.routes[0].camera = "cam"
        try setting.record("1.mp4", "a clip")
        let hash = SHA256.digits(of: Array("a clip".utf8)).prefix(8)
        try await setting.run { #expect(await $0.sent(1) == ["board/2027/cam-1-\(hash).mp4"]) }
    }

    @Test func `The IDs of a clip and of a picture with the same line differ`() {
        var (clip, picture) = (UploadPicture.sample, UploadPicture.sample)
        clip.path = "/a/d.mp4"
        (clip.series, picture.series) = ("door", "door")
        #expect(clip.values["id"] == ".door-clip-1" && picture.values["id"] == ".door-1")
    }

    @Test func `A transfer whose answer was lost is found at the target after a restart`() async throws {
        try setting.record("1.mp4")
        setting.transport.loseAnswers()
        try await setting.run { #expect(await $0.condition("access") != nil) }
        let job = try #require(try setting.store().jobs(isDead: false).first)
        #expect(job.name == "door/1.mp4" && job.picture.sha256 == SHA256.digits(of: Array("clip 1.mp4".utf8)))
        let transport = FolderTransport(setting.folder.path + "/target")
        let events = SenderEvents()
        let inlet = events.inlet
        let sender = OutboxSender(
            setting.configuration, try OutboxStore(folder: setting.folder.path + "/outbox"), ["nas": transport]
        ) { inlet.yield($0) }
        await sender.run(endsWhenIdle: true)
        #expect(await events.sent(1) == ["door/1.mp4"])
        #expect(setting.received == ["1.mp4"])
    }

    @Test func `A clip that was removed before it was sent does not count as sent`() async throws {
        for name in ["1.mp4", "2.mp4"] { try setting.record(name) }
        try setting.remove(1, isDeletion: false)
        try setting.folder.remove("door/2.mp4")
        try setting.record("3.mp4")
        try await setting.runOnce()
        #expect(setting.received == ["3.mp4"] && setting.sentLines == [3...3])
    }

    @Test func `A clip whose size is not that of its row is dead, and the next one is sent`() async throws {
        try setting.record("1.mp4")
        try setting.folder.write("door/1.mp4", "another content")
        try setting.record("2.mp4")
        try await setting.run { events in
            let job = try #require(await events.dead())
            #expect(job.reason == "the file has another size than its account" && !job.json.text.contains("sha256"))
            #expect(await events.sent(1) == ["door/2.mp4"])
        }
    }

    @Test func `Another list at the same path is another source`() async throws {
        try setting.record("1.mp4")
        try await setting.runOnce()
        try setting.folder.remove("door/.gst-capture/door.clips")
        try setting.makeList()
        try setting.begin("2.mp4")
        try setting.end(1)
        try await setting.runOnce()
        #expect(setting.received == ["1.mp4", "2.mp4"])
    }

    @Test func `A list cannot make a sender send other files`() async throws {
        try setting.folder.write("secret.mp4", "secret")
        try setting.folder.write("secrets/1.mp4", "secret")
        try setting.folder.write("door/secret.key", "secret")
        try setting.folder.link("door/link.mp4", to: setting.folder.path + "/secret.mp4")
        try setting.folder.link("door/linked", to: setting.folder.path + "/secrets")
        #expect(mkfifo(setting.path("pipe.mp4"), 0o600) == 0)
        let paths = [
            "../secret.mp4", setting.folder.path + "/secret.mp4", "secret.key", "link.mp4", "linked/1.mp4", "pipe.mp4",
            ".gst-capture/door.clips", "..", "", "none.mp4",
        ]
        for (index, path) in paths.enumerated() {
            try setting.change(
                """
                INSERT INTO clips(id, path, start_ns, start_zone, state, bytes, width, height)
                VALUES(\(index + 1), '\(path)', 1, 0, 'complete', 6, 1, 1)
                """)
        }
        try setting.change(
            """
            INSERT INTO clips(id, path, start_ns, start_zone, state, bytes, width, height)
            VALUES(-7, 'a.mp4', 1, 0, 'complete', 6, 1, 1), (9223372036854775807, 'b.mp4', 1, 0, 'recording', 6, 1, 1)
            """)
        try setting.change("DELETE FROM clips WHERE id = 9223372036854775807")
        try setting.record("good.mp4")
        try await setting.runOnce()
        #expect(setting.received == ["good.mp4"])
        let dead = try setting.store().jobs(isDead: true)
        #expect(Set(dead.map(\.picture.line)) == [4, 5, 6])
        #expect(dead.contains { $0.reason == "a link leads out of the folder" })
    }

    @Test func `A clip that a person deletes is erased at the target, and one that a limit removes stays`() async throws
    {
        setting.configuration.targets[0].name = try UploadName("{series}/{file}-{hash}.{extension}")
        for name in ["1.mp4", "2.mp4", "3.mp4"] { try setting.record(name) }
        try await setting.run { events in
            #expect(await events.sent(3).count == 3)
            try setting.remove(1, isDeletion: false)
            try setting.remove(3, isDeletion: true)
            let names = await events.erased(1)
            #expect(names.count == 1 && names[0].hasPrefix("door/3-"))
        }
        #expect(setting.received.map { $0.prefix(2) } == ["1-", "2-"])
    }

    @Test func `A clip that leaves the trash for good is erased, and not before`() async throws {
        for name in ["1.mp4", "2.mp4", "3.mp4"] { try setting.record(name) }
        try await setting.runOnce()
        let trash = TrashFolder(setting.folder.path + "/door")
        for name in ["1.mp4", "2.mp4"] {
            let hash = try FileDigest(setting.path(name), most: 1000).sha256
            try trash.delete([name], sha256: hash, as: "board.door-\(name)", at: .now())
        }
        try await setting.run { events in
            try trash.erase("board.door-1.mp4")
            #expect(await events.erased(1) == ["door/1.mp4"])
            _ = try trash.restore("board.door-2.mp4")
        }
        try await setting.runOnce()
        #expect(setting.received == ["2.mp4", "3.mp4"])
    }

    @Test func `A clip that is deleted before it was sent is not sent, and nothing is erased`() async throws {
        let hold = setting.transport.hold()
        for name in ["1.mp4", "2.mp4"] { try setting.record(name) }
        try await setting.run { events in
            for await _ in setting.transport.beginnings { break }
            try setting.remove(2, isDeletion: true)
            try setting.record("3.mp4")
            hold.finish()
            #expect(await events.sent(2) == ["door/1.mp4", "door/3.mp4"])
        }
        try await setting.runOnce()
        #expect(setting.received == ["1.mp4", "3.mp4"])
        #expect(try setting.store().jobs(isDead: false).isEmpty && setting.store().jobs(isDead: true).isEmpty)
    }

    @Test func `A clip that is deleted while it is sent is erased afterward`() async throws {
        let hold = setting.transport.hold()
        try setting.record("1.mp4")
        try await setting.run { events in
            for await _ in setting.transport.beginnings { break }
            let watch = OutboxWatch(folder: setting.folder.path + "/outbox")
            let changes = watch.changes()
            // The transfer has the file open.
            let copy = try setting.folder.write("copy.mp4", "")
            #expect(rename(setting.path("1.mp4"), copy) == 0)
            try setting.remove(1, isDeletion: true)
            for await _ in changes where try setting.store().jobs(isDead: false).contains(where: \.isDeleted) { break }
            #expect(rename(copy, setting.path("1.mp4")) == 0)
            hold.finish()
            #expect(await events.erased(1) == ["door/1.mp4"])
            withExtendedLifetime(watch) {}
        }
        #expect(setting.received.isEmpty)
    }

    @Test func `A target that keeps deleted pictures keeps deleted clips`() async throws {
        setting.configuration.targets[0].erasesDeleted = false
        try setting.record("1.mp4")
        try await setting.runOnce()
        try setting.remove(1, isDeletion: true)
        try await setting.runOnce()
        #expect(setting.received == ["1.mp4"])
    }

    @Test func `The limits of clips learn which are sent from the route of their folder`() async throws {
        func sent(_ list: String, _ setting: String = "keep-unsent") throws(CaptureError) -> SentLines {
            var request = SentPicturesRequest(
                ledger: list, names: "/a/%n.mp4", folder: "/a", needsProof: setting == "max-age-sent", setting: setting)
            request.isOfClips = true
            return try self.setting.configuration.sentPictures(
                request, file: "/etc/outbox.yaml", store: self.setting.folder.path + "/outbox")
        }
        try setting.record("1.mp4")
        try await setting.runOnce()
        try setting.record("2.mp4")
        let lines = try sent(setting.list)
        _ = lines.refresh()
        #expect(lines.contains(1) && !lines.contains(2))
        let error = #expect(throws: CaptureError.self) { try sent("/b/.gst-capture/b.clips") }
        #expect(error?.advice == "write - clips: /b below send:" && error?.subject == "keep-unsent")
        setting.configuration.targets[0].place.service = .http(.init())
        #expect(throws: CaptureError.self) { try sent(setting.list, "max-age-sent") }
    }

    @Test func `The backlog counts complete clips`() throws {
        try setting.record("1.mp4")
        try setting.begin("2.mp4")
        try setting.record("3.mp4")
        let backlog = try OutboxBacklog(of: "nas", setting.configuration, try setting.store())
        #expect(backlog.count == 2 && backlog.errors.isEmpty && backlog.oldest == .test(0))
    }

    @Test func `A new clip costs the same after 100,000 clips as after 1,000`() async throws {
        StatementLog.install()
        var steps: [Int] = []
        for count in [1000, 100_000] {
            let setting = try ClipSetting()
            try setting.change(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
                INSERT INTO clips(path, start_ns, start_zone, state, bytes, width, height)
                SELECT n || '.mp4', n, 0, CASE WHEN n <= \(count / 2) THEN 'removed' ELSE 'complete' END, 10, 320, 240
                FROM numbers;
                INSERT INTO deletions(clip) SELECT id FROM clips WHERE state = 'removed'
                """)
            try setting.record("new.mp4")
            let statements = try await StatementLog.statements(on: setting.list) {
                let uploads = try #require(try ClipUploads(setting.list))
                let page = try #require(try uploads.next(after: LineRanges([1...count]), .oldest, most: 256))
                #expect(page.pictures.map(\.line) == [count + 1] && page.isLast)
                #expect(try uploads.deletions(after: count / 2 - 1, most: 256).last == count / 2)
            }
            #expect(statements.scannedRows < 20, "\(statements)")
            steps.append(statements.steps)
        }
        #expect(steps[1] < steps[0] + steps[0] / 10, "\(steps)")
    }
}
