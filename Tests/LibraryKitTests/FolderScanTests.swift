// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import StillKit
import Testing

@testable import LibraryKit

@Suite("Scans of folders")
struct FolderScanTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex
    private let picture: JPEGFile

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        picture = try await JPEGFile.made()
    }

    @discardableResult
    private func write(_ name: String, _ number: Int) throws -> String {
        try TaggedPicture.write(picture, number, to: folder.path + "/" + name)
    }

    private func scan(accepts: Bool = false, of path: String? = nil) throws -> (FolderScan.Result, [CaptureError]) {
        let errors = Errors()
        let result = try FolderScan(index, folder: path ?? folder.path, report: { errors.list.append($0) })
            .run(accepts: accepts)
        return (result, errors.list)
    }

    private final class Errors { var list: [CaptureError] = [] }

    private func names(_ text: String = "") throws -> [String] {
        try index.page(LibraryQuery(text), limit: 500).items.map(\.facts.fileName)
    }

    @Test("Pictures of all folders are found with the moment and the size of their tags; other files are not")
    func pictures() throws {
        try write("1.jpg", 1)
        try write("a/b/2.JPEG", 2)
        try folder.write("notes.txt", "no picture")
        try folder.write(".hidden/3.jpg", "hidden")
        let (result, errors) = try scan()
        #expect(errors.isEmpty && result.root.state == .online && result.changes.putCount == 2)
        #expect(try names() == ["2.JPEG", "1.jpg"])
        let item = try #require(try index.page(LibraryQuery(), limit: 1).items.first)
        #expect(item.facts.kind == .file && (item.facts.width, item.facts.height) == (48, 32))
        #expect(item.facts.taken.seconds == WallTime.test(2 * 86400).seconds)
        #expect(try scan().0.changes.isEmpty)
    }

    @Test("A file that is no picture, is empty or cannot be read is one error, and the others are found")
    func damaged() throws {
        try write("1.jpg", 1)
        try folder.write("page.jpg", "<html></html>")
        try folder.write("empty.png", "")
        try folder.link("loop.jpg", to: "loop.jpg")
        try folder.link("parent", to: "..")
        let (_, errors) = try scan()
        #expect(try names() == ["1.jpg"])
        #expect(errors.map { DeviceFiles.name(of: $0.subject ?? "") }.sorted() == ["empty.png", "page.jpg"])
        #expect(errors.allSatisfy { $0.code == .noInput && $0.advice != nil })
    }

    @Test("Two copies of a picture are one item with two places, also if one of them goes")
    func copies() throws {
        let first = try write("a/1.jpg", 1)
        try FileManager.default.copyItem(atPath: first, toPath: folder.path + "/copy.jpg")
        _ = try scan()
        let item = try #require(try index.page(LibraryQuery(), limit: 9).items.first)
        #expect(try index.count(LibraryQuery()) == 1)
        #expect(try index.item(item.id)?.places.count == 2)
        try folder.remove("a/1.jpg")
        _ = try scan()
        #expect(try index.item(item.id)?.places.map(\.name) == ["copy.jpg"])
        #expect(try index.item(item.id)?.item.state == .present)
    }

    @Test("A picture that is gone is missing, and present again when it comes back or was moved")
    func moved() throws {
        let path = try write("1.jpg", 1)
        _ = try scan()
        let id = try #require(try index.page(LibraryQuery(), limit: 1).items.first).id
        try FileManager.default.moveItem(atPath: path, toPath: state.path + "/1.jpg")
        #expect(try scan().0.changes.removed == [id])
        #expect(try index.item(id)?.item.state == .missing && names().isEmpty)
        try FileManager.default.moveItem(atPath: state.path + "/1.jpg", toPath: folder.path + "/other name.jpg")
        _ = try scan()
        #expect(try index.item(id)?.item.state == .present && names() == ["other name.jpg"])
    }

    @Test("A picture that comes back unchanged at its place is present again")
    func comesBack() throws {
        let path = try write("1.jpg", 1)
        _ = try scan()
        try FileManager.default.moveItem(atPath: path, toPath: state.path + "/1.jpg")
        _ = try scan()
        #expect(try names().isEmpty)
        try FileManager.default.moveItem(atPath: state.path + "/1.jpg", toPath: path)
        #expect(try scan().0.changes.putCount == 1)
        #expect(try names() == ["1.jpg"])
    }

    @Test("An edited picture has the tags of its sidecar after one scan, also if its time was kept")
    func editedWithTags() throws {
        let path = try write("1.jpg", 1)
        try Data(XMPSidecar.new(SidecarValues(tags: ["snow"]), path: path)).write(to: URL(filePath: path + ".xmp"))
        _ = try scan()
        let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        try write("1.jpg", 22)
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: path)
        _ = try scan()
        #expect(
            try names("tag:snow") == ["1.jpg"]
                && names("day:\(WallTime.test(22 * 86400).iso8601.prefix(10))").count == 1)
    }

    @Test("A picture that was edited by hand is a new item, and the old one is gone")
    func edited() throws {
        let path = try write("1.jpg", 1)
        _ = try scan()
        let old = try #require(try index.page(LibraryQuery(), limit: 1).items.first).id
        try write("1.jpg", 2)
        let time = Date(timeIntervalSinceNow: 60)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        _ = try scan()
        #expect(try index.count(LibraryQuery()) == 1 && index.item(old) == nil)
    }

    @Test("A folder whose disk is away is offline, and keeps its pictures")
    func offline() throws {
        try write("1.jpg", 1)
        _ = try scan()
        let away = folder.path + "-away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        defer { try? FileManager.default.removeItem(atPath: away) }
        #expect(try scan().0.root.state == .offline && names() == ["1.jpg"])
        // The folder of a disk that is not mounted.
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        #expect(try scan().0.root.state == .offline && names() == ["1.jpg"])
        // Another disk at the same path.
        try folder.write(".gst-capture/root", "5b3a2f3e-3f57-4a52-8a6b-000000000000\n")
        #expect(try scan().0.root.state == .offline && names() == ["1.jpg"])
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: away, toPath: folder.path)
        #expect(try scan().0.root.state == .online && names() == ["1.jpg"])
    }

    @Test("Another disk at the path adds nothing, not even the pictures of its ledgers")
    func otherDisk() async throws {
        try write("1.jpg", 1)
        _ = try LibraryScan(index, folder: folder.path)
        try FileManager.default.removeItem(atPath: folder.path + "/.gst-capture")
        let path = folder.path + "/.gst-capture/%n.jpg.ledger"
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        try await ledger.append([.picture(0, folder.path + "/0.jpg")])
        await ledger.close(.completed)
        let scan = try LibraryScan(index, folder: folder.path)
        #expect(scan.root.state == .offline && scan.changes.isEmpty)
        #expect(try names() == ["1.jpg"])
    }

    @Test("A folder whose first scan is interrupted belongs to the library, and is known as not complete")
    func interrupted() async throws {
        try write("1.jpg", 1)
        let (index, path) = (index, folder.path)
        let scan = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try LibraryScan(index, folder: path)
        }
        await #expect(throws: CaptureError.self) { try await scan.value }
        #expect(try index.roots().map(\.state) == [.stale])
        _ = try LibraryScan(index, folder: path)
        #expect(try index.roots().map(\.state) == [.online] && names() == ["1.jpg"])
    }

    @Test("If many pictures vanish at once, none is missing until a person accepts it")
    func shrunk() throws {
        for number in 1...60 { try write("\(number).jpg", number) }
        _ = try scan()
        for number in 1...51 { try folder.remove("\(number).jpg") }
        let (result, _) = try scan()
        #expect(result.root.state == .shrunk && result.vanished == 51 && result.changes.isEmpty)
        #expect(try names().count == 60)
        #expect(try scan(accepts: true).0.root.state == .online)
        #expect(try names().count == 9)
        // They are missing, and have not vanished again.
        #expect(try scan().0.vanished == 0)
    }

    @Test("A folder of the library inside another one is scanned separately: its disk may be away")
    func inner() throws {
        try write("1.jpg", 1)
        try write("disk/2.jpg", 2)
        _ = try LibraryScan(index, folder: folder.path + "/disk")
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try names() == ["2.jpg", "1.jpg"])
        try FileManager.default.moveItem(atPath: folder.path + "/disk", toPath: state.path + "/disk")
        try FileManager.default.createDirectory(atPath: folder.path + "/disk", withIntermediateDirectories: false)
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try names() == ["2.jpg", "1.jpg"])
        #expect(try index.reset().map(\.path) == [folder.path])
        #expect(try names() == ["2.jpg"])
        let all = [folder.path, folder.path + "/disk"]
        #expect(try index.folders(toScan: [folder.path]) == all && index.folders(toScan: []) == all)
    }

    @Test("Two names that are equal as texts are two files")
    func forms() throws {
        try write("Cafe\u{301}.jpg", 1)
        try write("Caf\u{E9}.jpg", 2)
        _ = try scan()
        #expect(try names().count == 2)
        #expect(try scan().0.changes.isEmpty)
        try folder.remove("Caf\u{E9}.jpg")
        _ = try scan()
        #expect(try names().map { Array($0.utf8) } == [Array("Cafe\u{301}.jpg".utf8)])
    }

    @Test("A picture with a hash keeps it if its time alone changed; another content in its middle makes a new hash")
    func touched() throws {
        let path = try write("1.jpg", 1)
        // Longer than both ends that are a part of the ID.
        let bytes = try Data(contentsOf: URL(filePath: path)) + Data(repeating: 1, count: 9000)
        try bytes.write(to: URL(filePath: path))
        _ = try scan()
        _ = try LibraryVerification(index, LibraryQuery())
        let hash = try #require(try index.page(LibraryQuery(), limit: 1).items.first?.facts.sha256)
        let later = Date(timeIntervalSinceNow: 60)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
        #expect(try scan().0.changes.isEmpty)
        #expect(try index.page(LibraryQuery(), limit: 1).items.first?.facts.sha256 == hash)
        var other = bytes
        other[bytes.count / 2] ^= 1
        try other.write(to: URL(filePath: path))
        _ = try scan()
        #expect(try index.page(LibraryQuery(), limit: 9).items.map { $0.facts.sha256 == hash } == [false])
        #expect(try LibraryVerification(index, LibraryQuery()).faults.isEmpty)
    }

    @Test("A copied picture has the tags of all its files; a tag that is removed is removed from each")
    func notesOfCopies() throws {
        let paths = [try write("a.jpg", 1), try write("b.jpg", 1)]
        for (path, tag) in zip(paths, ["ice", "snow"]) {
            try Data(XMPSidecar.new(SidecarValues(tags: [tag]), path: path)).write(to: URL(filePath: path + ".xmp"))
        }
        _ = try scan()
        let item = try #require(try index.page(LibraryQuery(), limit: 9).items.first)
        #expect(item.notes.tags == ["ice", "snow"])
        var change = NotesChange()
        (change.added, change.removed) = (["cold"], ["snow"])
        _ = try index.change([item.id], change)
        #expect(try index.item(item.id)?.item.notes.tags == ["ice", "cold"])
        #expect(try Sidecars.read(paths[1]).notes.tags == ["cold"])
        #expect(try scan().0.changes.isEmpty)
        try folder.remove("a.jpg")
        try folder.remove("a.jpg.xmp")
        _ = try scan()
        #expect(try index.item(item.id)?.item.notes.tags == ["cold"])
    }

    /// Writes 60 pictures of a series, with a ledger that has their hashes.
    private func series(_ name: String, count: Int) async throws {
        let ledger = Ledger(folder.path + "/\(name)/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        var entries: [LedgerEntry] = []
        for number in 0..<count {
            let path = try write("\(name)/\(number).jpg", number + 1)
            var entry = LedgerEntry.picture(number, path)
            if case .captured(var still) = entry.outcome {
                let digest = try FileDigest(path, most: 1 << 20)
                (still.byteCount, still.sha256) = (digest.byteCount, digest.sha256)
                entry.outcome = .captured(still)
            }
            entries.append(entry)
        }
        try await ledger.append(entries)
        await ledger.close(.completed)
    }

    @Test("Pictures of a series that are moved within the folder keep their IDs, and do not count as vanished")
    func movedSeries() async throws {
        try await series("garden", count: 60)
        _ = try LibraryScan(index, folder: folder.path)
        let before = try index.found()
        #expect(before.count == 60)
        for number in 0..<55 {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/best", withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: folder.path + "/garden/\(number).jpg", toPath: folder.path + "/best/\(number).jpg")
        }
        let scan = try LibraryScan(index, folder: folder.path)
        #expect(scan.root.state == .online && scan.vanished == 0)
        #expect(try index.found() == before)
        let rebuilt = try LibraryIndex(state)
        _ = try rebuilt.reset()
        _ = try LibraryScan(rebuilt, folder: folder.path)
        #expect(try rebuilt.found() == before)
    }

    @Test("A new time of change leaves pictures of a series those of its ledger, and an edited one is a file")
    func touchedSeries() async throws {
        try await series("garden", count: 2)
        _ = try LibraryScan(index, folder: folder.path)
        let before = try index.found()
        let later = Date(timeIntervalSinceNow: 60)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: folder.path + "/garden/0.jpg")
        #expect(try LibraryScan(index, folder: folder.path).changes.isEmpty)
        #expect(try index.found() == before)
        try write("garden/1.jpg", 40)
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try index.found("kind:file").count == 1 && index.count(LibraryQuery()) == 2)
    }

    @Test("A copied folder with its ledger adds files to the same pictures, in each order")
    func copiedSeries() async throws {
        try await series("a/garden", count: 3)
        try FileManager.default.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder.path + "/a/garden", toPath: folder.path + "/b/garden")
        _ = try LibraryScan(index, folder: folder.path)
        let id = try #require(try index.page(LibraryQuery(), limit: 9).items.last?.id)
        #expect(try index.count(LibraryQuery()) == 3 && index.item(id)?.places.count == 2)
        try FileManager.default.removeItem(atPath: folder.path + "/a")
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try index.count(LibraryQuery("kind:still")) == 3)
        #expect(try index.item(id)?.places.map(\.folder) == [folder.path + "/b/garden"])
    }

    @Test("A folder that does not exist is an error, and no folder of the library")
    func noFolder() throws {
        let error = #expect(throws: CaptureError.self) { try scan(of: folder.path + "/nothing") }
        #expect(error?.code == .noInput)
        #expect(try index.roots().isEmpty)
    }

    @Test("Pictures of a series stay those of its ledger")
    func ledger() async throws {
        let path = try write("0.jpg", 1)
        let bytes = try Data(contentsOf: URL(filePath: path)).count
        let ledger = Ledger(folder.path + "/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        var entry = LedgerEntry.picture(0, path)
        if case .captured(var still) = entry.outcome {
            still.byteCount = bytes
            entry.outcome = .captured(still)
        }
        try await ledger.append([entry])
        await ledger.close(.completed)
        let source = LedgerSource(ledger: folder.path + "/.gst-capture/%n.jpg.ledger", series: "garden", camera: nil)
        _ = try source.catchUp(index)
        #expect(try scan().0.changes.isEmpty)
        #expect(try index.found() == ["garden-1"])
    }
}
#endif
