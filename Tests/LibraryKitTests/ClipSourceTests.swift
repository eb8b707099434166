// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import ClipList
import DatabaseKit
import Foundation
import StillKit
import Testing

@testable import LibraryKit

@Suite("Clips of lists")
struct ClipSourceTests {
    private let folder: TemporaryFolder
    private let index: LibraryIndex

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
        index = try LibraryIndex(folder: folder.path + "/state", board: .test)
    }

    private var clips: LibraryClips { LibraryClips(base: folder.path + "/door") }

    private func identifiers(_ text: String = "") throws -> [String] { try index.found(text) }

    /// The IDs of clips by their numbers.
    private func identifiers(of numbers: [Int]) throws -> [String] {
        let all = try index.found()
        let name = try #require(all.first?.prefix { $0 != "~" })
        return numbers.map { "\(name)~c\($0)" }
    }

    @Test("Each complete clip is in the index with its facts; one that is being recorded is not")
    func facts() throws {
        try clips.add(1)
        try clips.add(2, state: .repaired)
        try clips.begin(3)
        let changes = try clips.source.catchUp(index)
        #expect(try changes.putCount == 2 && index.found("kind:clip camera:door").count == 2)
        let item = try #require(try index.page(LibraryQuery(), limit: 1).items.first)
        #expect(item.facts.kind == .clip && item.facts.taken == .test(20) && item.facts.camera == "door")
        #expect(item.facts.duration == .milliseconds(1500) && (item.facts.width, item.facts.height) == (64, 48))
        #expect(item.facts.byteCount == MovieFile().bytes.count && item.facts.sha256 == nil)
        #expect(try index.item(item.id)?.places.map(\.path) == [clips.path(2)])
        #expect("\(item.id)".wholeMatch(of: #/garden-pi\.door-[0-9a-f]{6}~c2/#) != nil)
        #expect(try clips.source.catchUp(index).isEmpty)
    }

    @Test("A list that is missing, empty, or has no clip yet, has no clips")
    func begins() throws {
        #expect(try clips.source.catchUp(index).isEmpty)
        try folder.write("door/.gst-capture/%n.mp4.clips", "")
        #expect(try clips.source.catchUp(index).isEmpty && clips.source.catchUp(clip: 1, index).isEmpty)
        try folder.remove("door/.gst-capture/%n.mp4.clips")
        _ = try clips.account()
        #expect(try clips.source.catchUp(index).isEmpty)
    }

    @Test("A clip that is below newer complete ones comes when it is complete")
    func below() throws {
        try clips.begin(1)
        for number in 2...4 { try clips.add(number) }
        #expect(try clips.source.catchUp(index).putCount == 3)
        try clips.end(1)
        #expect(try clips.source.catchUp(clip: 1, index).put.map { "\($0.origin)" } == identifiers(of: [1]))
        #expect(try identifiers() == identifiers(of: [4, 3, 2, 1]))
        // Also without its event.
        try clips.begin(5)
        try clips.add(6)
        #expect(try clips.source.catchUp(clip: 6, index).putCount == 1)
        try clips.end(5)
        #expect(try clips.source.catchUp(index).putCount == 1)
        #expect(try identifiers() == identifiers(of: [6, 5, 4, 3, 2, 1]))
    }

    @Test("A clip whose event was lost comes with the event of a later one")
    func lostEvent() throws {
        try clips.add(1)
        #expect(try clips.source.catchUp(index).putCount == 1)
        try clips.add(2)
        try clips.add(3)
        #expect(try clips.source.catchUp(clip: 3, index).putCount == 2)
    }

    @Test("A clip that a limit or a request removed leaves the index, at once or at the next start")
    func removed() throws {
        for number in 1...3 { try clips.add(number) }
        _ = try clips.source.catchUp(index)
        let all = try identifiers(of: [3, 2, 1])
        try clips.remove(2)
        #expect(try clips.source.catchUp(clip: 2, index).removed.map { "\($0.origin)" } == [all[1]])
        try clips.remove(1)
        #expect(try clips.source.catchUp(index).removed.map { "\($0.origin)" } == [all[2]])
        #expect(try identifiers() == [all[0]])
    }

    @Test("Another list at the path begins from nothing, and its clips have other IDs")
    func otherList() throws {
        try clips.add(1)
        _ = try clips.source.catchUp(index)
        let old = try identifiers()
        try FileManager.default.removeItem(atPath: folder.path + "/door/.gst-capture")
        try clips.add(7)
        #expect(try clips.source.catchUp(index).putCount == 1)
        #expect(try identifiers().count == 1 && identifiers() != old)
    }

    @Test("An older copy of the list that was restored begins from nothing")
    func olderCopy() throws {
        try clips.add(1)
        let copy = try Data(contentsOf: URL(filePath: clips.list))
        try clips.add(2)
        _ = try clips.source.catchUp(index)
        try copy.write(to: URL(filePath: clips.list))
        _ = try clips.source.catchUp(index)
        #expect(try identifiers() == identifiers(of: [1]))
    }

    @Test(
        "A list cannot name files outside of its folder, nor files that are no movies",
        arguments: ["../2.mp4", "/etc/passwd.mp4", "2.jpg", "a/./2.mp4", "a//2.mp4", "2.MP4 "])
    func hostile(_ path: String) throws {
        for number in 1...3 { try clips.add(number) }
        try Database(clips.list, .write).run("UPDATE clips SET path = '\(path)' WHERE id = 2")
        _ = try clips.source.catchUp(index)
        #expect(try identifiers() == identifiers(of: [3, 1]))
    }

    @Test(
        "A list with any IDs ends no process, and its other clips are found",
        arguments: [Int64.min, -1, 0, 1 << 50, Int64.max], ["recording", "complete", "removing"])
    func hostileID(_ id: Int64, _ state: String) throws {
        for number in 1...3 { try clips.add(number) }
        try Database(clips.list, .write).run("UPDATE clips SET id = \(id), state = '\(state)' WHERE id = 2")
        for _ in 1...2 {
            _ = try clips.source.catchUp(index)
            _ = try clips.source.catchUp(clip: 3, index)
            _ = try clips.source.catchUp(clip: Int(id), index)
            #expect(try identifiers() == identifiers(of: [3, 1]))
        }
    }

    @Test("Many clips are read in several transactions, and give the same index as one by one")
    func many() throws {
        try clips.insert(2500)
        let found = try clips.source.catchUp(index)
        #expect(found.putCount == 2500)
        let before = try index.dump
        try index.write { try $0.move(try $0.cursor(of: clips.list, identity: "")) }
        #expect(try clips.source.catchUp(index).isEmpty)
        #expect(try index.dump == before && index.count(LibraryQuery("kind:clip")) == 2500)
    }

    @Test("A new clip and a removed one cost the same with 100,000 clips as with 1,000")
    func growth() async throws {
        StatementLog.install()
        var steps: [Int] = []
        for count in [1000, 100_000] {
            let folder = try TemporaryFolder(isInMemory: true)
            let clips = LibraryClips(base: folder.path + "/door")
            try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
            let index = try LibraryIndex(folder: folder.path + "/state", board: .test)
            try clips.insert(count)
            _ = try clips.source.catchUp(index)
            try clips.add(count + 1)
            try clips.remove(count / 2)
            var onList: [StatementLog.Statement] = []
            let statements = try await StatementLog.statements(on: index.path) {
                onList = try await StatementLog.statements(on: clips.list) {
                    let added = try clips.source.catchUp(clip: count + 1, index)
                    let removed = try clips.source.catchUp(clip: count / 2, index)
                    #expect(added.putCount == 1 && removed.removedCount == 1)
                }
            }
            #expect(!onList.isEmpty && (statements + onList).scannedRows < 200, "\(statements + onList)")
            steps.append((statements + onList).steps)
        }
        #expect(steps[1] < steps[0] + steps[0] / 5, "\(steps)")
    }

    // MARK: - Scans

    private func scan() throws -> LibraryScan {
        try LibraryScan(index, folder: folder.path + "/door", report: { Issue.record($0) })
    }

    @Test("A scan finds lists, keeps the camera that a service named, and finds movies that no list has")
    func scans() throws {
        try clips.add(1)
        try clips.begin(2)
        var other = MovieFile()
        other.isFragmented = true
        try other.write(to: clips.path(2))
        other.isFragmented = false
        other.samples = Array("holiday".utf8)
        try other.write(to: folder.path + "/door/copied/Holiday.MP4")
        _ = try clips.source.catchUp(index)
        #expect(try scan().changes.putCount == 1)
        #expect(try identifiers("kind:clip camera:door").count == 1 && identifiers().count == 2)
        let file = try #require(try index.page(LibraryQuery("kind:file"), limit: 9).items.first)
        #expect(file.facts.duration == .milliseconds(1500) && file.facts.fileName == "Holiday.MP4")
        #expect(try scan().changes.isEmpty)
        // It is complete now, and its list does not say so yet.
        try MovieFile().write(to: clips.path(2))
        _ = try scan()
        #expect(try identifiers("kind:file").count == 2)
        try clips.end(2)
        _ = try clips.source.catchUp(clip: 2, index)
        #expect(try identifiers("kind:clip").count == 2 && identifiers("kind:file").count == 1)
    }

    @Test("A list that is damaged is one error, and its movies are found as files")
    func damagedList() throws {
        try clips.add(1)
        for content in [Data("no list".utf8), Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 * 7) })] {
            try content.write(to: URL(filePath: clips.list))
            var errors: [CaptureError] = []
            _ = try LibraryScan(index, folder: folder.path + "/door", report: { errors.append($0) })
            #expect(errors.count == 1 && errors.first?.subject == clips.list)
            #expect(try identifiers("kind:file").count == 1 && identifiers().count == 1)
        }
    }

    @Test("A new index that is made from the folder alone equals one that followed the list")
    func rebuilt() throws {
        for number in 1...4 { try clips.add(number) }
        _ = try ClipSource(unnamed: clips.list).catchUp(index)
        try clips.remove(2)
        try clips.add(5)
        _ = try ClipSource(unnamed: clips.list).catchUp(clip: 5, index)
        _ = try ClipSource(unnamed: clips.list).catchUp(clip: 2, index)
        _ = try scan()
        let other = try TemporaryFolder()
        let second = try LibraryIndex(folder: other.path, board: .test)
        _ = try LibraryScan(second, folder: folder.path + "/door")
        #expect(try second.dump == index.dump)
        let names = try index.reset().map(\.path)
        #expect(names == [folder.path + "/door"])
        _ = try scan()
        #expect(try second.dump == index.dump)
    }

    @Test("A clip whose file only has a new time stays the clip, and no scan opens it again")
    func touched() throws {
        try clips.add(1)
        _ = try scan()
        let before = try index.dump
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: clips.path(1))
        #expect(try scan().changes.isEmpty && index.dump == before)
    }

    @Test("A clip that was edited becomes a file, and stays one")
    func edited() throws {
        try clips.add(1)
        _ = try scan()
        var other = MovieFile()
        other.samples = Array("other samples".utf8)
        try other.write(to: clips.path(1))
        for _ in 1...2 {
            _ = try scan()
            #expect(try identifiers("kind:file").count == 1 && identifiers().count == 1)
        }
    }

    // MARK: - Changes by people

    @Test("A clip goes into the trash, stays there when a limit removes it from the list, and comes back")
    func trash() throws {
        try clips.add(1)
        try clips.add(2)
        _ = try clips.source.catchUp(index)
        _ = try scan()
        let id = try #require(try index.page(LibraryQuery(), limit: 1).items.first?.id)
        #expect(try index.delete([id]) == [id])
        #expect(try !DeviceFiles.exists(clips.path(2)) && identifiers().count == 1)
        try clips.remove(2)
        #expect(try clips.source.catchUp(clip: 2, index).isEmpty && clips.source.catchUp(index).isEmpty)
        #expect(try index.trash(limit: 9).entries.map(\.item.id) == [id])
        #expect(try index.restore([id], report: { Issue.record($0) }) == [id])
        #expect(DeviceFiles.exists(clips.path(2)))
        _ = try clips.source.catchUp(index)
        _ = try scan()
        #expect(try identifiers("kind:clip").count == 2)
    }

    @Test("Tags, albums, verification and export work with clips as with pictures, also after a rebuild")
    func changes() throws {
        try clips.add(1)
        _ = try scan()
        let id = try #require(try index.page(LibraryQuery(), limit: 1).items.first?.id)
        var change = NotesChange()
        (change.added, change.stars) = (["postman"], 4)
        #expect(try index.change([id], change) == [id])
        let album = try index.createAlbum("Visitors", in: folder.path + "/albums")
        #expect(try index.add([id], to: album, report: { Issue.record($0) }) == [id])
        let verification = try LibraryVerification(index, LibraryQuery())
        #expect(verification.goodCount == 1 && verification.faults.isEmpty)
        for _ in 1...2 {
            #expect(try index.found("tag:postman album:Visitors stars:4 kind:clip").count == 1)
            #expect(try index.found().count == 1)
            for root in try index.reset() { _ = try LibraryScan(index, folder: root.path) }
        }
        let report = try PictureExport(index, to: folder.path + "/out").run(LibraryQuery())
        #expect(report.copiedCount == 1 && DeviceFiles.exists(folder.path + "/out/1.mp4.xmp"))
    }

    @Test("A copy of the folder with its list has the same clips, each with two files")
    func copied() throws {
        try clips.add(1)
        _ = try scan()
        try FileManager.default.createDirectory(atPath: folder.path + "/usb", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: clips.base, toPath: folder.path + "/usb/door")
        _ = try LibraryScan(index, folder: folder.path + "/usb")
        _ = try scan()
        let item = try #require(try index.page(LibraryQuery(), limit: 9).items.first)
        #expect(try index.found().count == 1 && index.item(item.id)?.places.count == 2)
    }
}

/// The clips of a folder, each with a file.
struct LibraryClips {
    /// The folder to which paths in the list are relative.
    let base: String

    var list: String { base + "/.gst-capture/%n.mp4.clips" }
    var source: ClipSource { ClipSource(list: list, camera: "door") }

    func path(_ number: Int) -> String { "\(base)/\(number).mp4" }

    func account() throws -> ClipAccount {
        try StillFolder.make(base + "/.gst-capture")
        return try ClipAccount(list, base: base, .create)
    }

    /// Adds a complete clip ten seconds after the one before it, with its file.
    func add(_ number: Int, state: StoredClip.State = .complete) throws {
        try begin(number)
        try end(number, state: state)
    }

    /// Begins a clip, which becomes the last one of the list.
    func begin(_ number: Int) throws {
        _ = try account().add(path(number), start: .test(Int64(number) * 10), width: 64, height: 48)
    }

    /// Completes the clip with the file of a number.
    func end(_ number: Int, state: StoredClip.State = .complete) throws {
        try MovieFile().write(to: path(number))
        let account = try account()
        var clip = try #require(try account.unfinished().first { $0.clip.path == path(number) }?.clip)
        (clip.state, clip.duration, clip.byteCount) = (state, .milliseconds(1500), MovieFile().bytes.count)
        #expect(try account.end(clip))
    }

    /// Removes a clip as a limit does.
    func remove(_ id: Int) throws {
        let account = try account()
        let clip = try #require(try account.clip(id))
        try account.beginRemoval(of: clip)
        try? FileManager.default.removeItem(atPath: clip.path)
        try account.endRemoval(of: id, as: .removed)
    }

    /// Inserts clips without files at once.
    func insert(_ count: Int) throws {
        _ = try account()
        try Database(list, .write).run(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO clips(path, start_ns, start_zone, state, bytes, duration_ns, width, height)
            SELECT n || '.mp4', n * 1000000000, 0, 'complete', 10, 1000000000, 64, 48 FROM numbers
            """)
    }
}
#endif
