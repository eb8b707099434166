// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import StillKit
import Testing

@testable import LibraryKit

@Suite("The trash of the library")
struct TrashTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex
    private let picture: JPEGFile

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        picture = try await JPEGFile.made()
    }

    private func write(_ name: String, _ number: Int) throws {
        try TaggedPicture.write(picture, number, to: folder.path + "/" + name)
    }

    private func scan() throws { _ = try LibraryScan(index, folder: folder.path, report: { Issue.record($0) }) }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path + "/" + name) }

    /// Adds two pictures, and returns the ID of the newer one, which has a tag.
    private func scanned() throws -> ItemID {
        try write("a/1.jpg", 1)
        try write("b/2.jpg", 2)
        try scan()
        let id = try #require(try index.page(LibraryQuery(), limit: 1).items.first?.id)
        var change = NotesChange()
        change.added = ["snow"]
        _ = try index.change([id], change)
        return id
    }

    private func trash() throws -> [ItemID] { try index.trash(limit: 100).entries.map(\.item.id) }

    /// Checks that a new index has the same content.
    private func expectSameAsNew() throws {
        let other = try TemporaryFolder()
        let new = try LibraryIndex(other)
        _ = try LibraryScan(new, folder: folder.path)
        #expect(try new.content == index.content)
        #expect(try new.trash(limit: 100) == index.trash(limit: 100))
    }

    @Test("A deleted picture is in no list, and returns to its place with its ID and its tags")
    func returns() throws {
        let id = try scanned()
        #expect(try index.delete([id]) == [id])
        #expect(try trash() == [id] && index.count(LibraryQuery()) == 1)
        #expect(try index.values(of: .tag).isEmpty && index.trashSize().count == 1)
        #expect(!exists("b/2.jpg") && !exists("b/2.jpg.xmp") && !exists("b"))
        let path = try #require(try index.trashedPath(of: id))
        #expect(FileManager.default.fileExists(atPath: path) && path.hasSuffix("/2.jpg"))
        try scan()
        try expectSameAsNew()
        #expect(try index.delete([id]).isEmpty)
        #expect(try index.restore([id]) == [id])
        #expect(exists("b/2.jpg") && exists("b/2.jpg.xmp") && !exists(".gst-capture/trash/\(id)"))
        #expect(try index.found("tag:snow ").count == 1 && trash().isEmpty)
        #expect(try index.restore([id]).isEmpty)
        #expect(try LibraryScan(index, folder: folder.path).changes.isEmpty)
        try expectSameAsNew()
    }

    @Test("A picture of a series that is deleted keeps its ID, also in a new index")
    func ofSeries() async throws {
        let ledger = Ledger(folder.path + "/garden/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        try write("garden/1.jpg", 1)
        var entry = LedgerEntry.picture(0, folder.path + "/garden/1.jpg")
        if case .captured(var still) = entry.outcome {
            let digest = try FileDigest(folder.path + "/garden/1.jpg", most: 1 << 20)
            (still.byteCount, still.sha256) = (digest.byteCount, digest.sha256)
            entry.outcome = .captured(still)
        }
        try await ledger.append([entry])
        await ledger.close(.completed)
        try scan()
        let id = try #require(try index.page(LibraryQuery("kind:still "), limit: 1).items.first?.id)
        #expect(try index.delete([id]) == [id])
        try scan()
        try expectSameAsNew()
        #expect(try index.erase([id]) == [id])
        #expect(try trash().isEmpty && index.item(id)?.item.state == .missing)
        try expectSameAsNew()
    }

    @Test("All copies of a picture are deleted, and all return")
    func copies() throws {
        let id = try scanned()
        try FileManager.default.copyItem(atPath: folder.path + "/b/2.jpg", toPath: folder.path + "/a/copy.jpg")
        try scan()
        _ = try index.delete([id])
        #expect(!exists("b/2.jpg") && !exists("a/copy.jpg"))
        try scan()
        try expectSameAsNew()
        _ = try index.restore([id])
        #expect(exists("b/2.jpg") && exists("a/copy.jpg"))
        #expect(try index.item(id)?.places.count == 2)
    }

    @Test("A picture whose place is taken stays in the trash, and nothing is replaced")
    func taken() throws {
        let id = try scanned()
        _ = try index.delete([id])
        try write("b/2.jpg", 3)
        let errors = Errors()
        #expect(try index.restore([id], report: { errors.list.append($0) }).isEmpty)
        #expect(errors.list.map(\.subject) == [folder.path + "/b/2.jpg"] && errors.list[0].advice != nil)
        #expect(try trash() == [id])
        try folder.remove("b/2.jpg")
        #expect(try index.restore([id]) == [id])
    }

    @Test("A deletion, a restoration and a removal that were interrupted are completed by the next scan")
    func interrupted() throws {
        let id = try scanned()
        let place = ".gst-capture/trash/\(id)"
        // Only the record was written.
        try folder.write("\(place)/.deleting", #"{"deleted": "2026-11-28T10:00:00.000+00:00", "files": ["b/2.jpg"]}"#)
        try scan()
        #expect(try trash() == [id] && !exists("b/2.jpg"))
        // One of two files was moved back.
        let files = FileManager.default
        try files.moveItem(atPath: folder.path + "/\(place)/.deleted", toPath: folder.path + "/\(place)/.restoring")
        try files.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: true)
        try files.moveItem(atPath: folder.path + "/\(place)/2.jpg", toPath: folder.path + "/b/2.jpg")
        try scan()
        #expect(try trash().isEmpty && exists("b/2.jpg.xmp") && !exists(place))
        #expect(try index.found("tag:snow ").count == 1)
        _ = try index.delete([id])
        try files.moveItem(atPath: folder.path + "/\(place)/.deleted", toPath: folder.path + "/\(place)/.erasing")
        try scan()
        #expect(try trash().isEmpty && !exists(place) && index.item(id) == nil)
        try expectSameAsNew()
    }

    /// A picture in the folder `pictures`, with a link in an album of the folder `albums`.
    private func linked() throws -> (id: ItemID, album: Album) {
        try write("pictures/2.jpg", 2)
        _ = try LibraryScan(index, folder: folder.path + "/pictures")
        let id = try #require(try index.page(LibraryQuery(), limit: 1).items.first?.id)
        let album = try index.createAlbum("Best", in: folder.path + "/albums")
        _ = try index.add([id], to: album)
        return (id, album)
    }

    private func scanBoth() throws {
        for name in ["albums", "pictures"] { _ = try LibraryScan(index, folder: folder.path + "/" + name) }
    }

    private static let link = "albums/Best/00001-2.jpg"

    @Test("A deletion that ended between two folders is undone; then the restoration is completed")
    func betweenFolders() throws {
        let (id, _) = try linked()
        let albums = TrashFolder(folder.path + "/albums")
        let pictures = TrashFolder(folder.path + "/pictures")
        try albums.delete(
            ["Best/00001-2.jpg"], besides: [folder.path + "/pictures/2.jpg"], as: "\(id)", at: .now())
        // The album's link has the newer tags.
        try folder.write("albums/.gst-capture/trash/\(id)/00001-2.jpg.xmp", "tags")
        #expect(!exists(Self.link))
        try scanBoth()
        #expect(exists(Self.link) && exists(Self.link + ".xmp") && exists("pictures/2.jpg"))
        #expect(try index.found("album:Best ").count == 1 && trash().isEmpty)
        try folder.remove(Self.link + ".xmp")
        _ = try index.delete([id])
        #expect(!exists(Self.link) && !exists("pictures/2.jpg"))
        _ = try pictures.restore("\(id)")
        try scanBoth()
        #expect(exists(Self.link) && exists("pictures/2.jpg") && albums.entries().isEmpty)
        #expect(try index.found("album:Best ").count == 1 && trash().isEmpty)
    }

    @Test("A deletion that ended while it moved the files of the second folder is completed")
    func secondFolder() throws {
        let (id, _) = try linked()
        _ = try index.delete([id])
        let place = "pictures/.gst-capture/trash/\(id)"
        let files = FileManager.default
        try files.moveItem(atPath: folder.path + "/\(place)/.deleted", toPath: folder.path + "/\(place)/.deleting")
        try files.moveItem(atPath: folder.path + "/\(place)/2.jpg", toPath: folder.path + "/pictures/2.jpg")
        try scanBoth()
        #expect(!exists(Self.link) && !exists("pictures/2.jpg"))
        #expect(try trash() == [id])
    }

    @Test(
        "A picture that cannot be deleted in one folder stays in all; one that is copied again does not bring its link")
    func oneFolderFails() throws {
        let (id, album) = try linked()
        try folder.write("pictures/.gst-capture/trash/\(id)/2.jpg", "other")
        let errors = Errors()
        #expect(try index.delete([id], report: { errors.list.append($0) }).isEmpty)
        #expect(errors.list.count == 1 && exists(Self.link) && exists("pictures/2.jpg"))
        try folder.remove("pictures/.gst-capture/trash/\(id)")
        _ = try index.delete([id])
        try write("pictures/2.jpg", 2)
        // The album learns of the picture only when its folder is scanned after that of the picture.
        try scanBoth()
        try scanBoth()
        #expect(exists("pictures/2.jpg") && !exists(Self.link))
        #expect(try trash().isEmpty && index.found("album:\(album.title) ").isEmpty)
    }

    @Test("A record that leads out of the folder, or is damaged, moves nothing")
    func hostile() throws {
        _ = try scanned()
        let texts = [
            "", "{", "[]", #"{"deleted": "x", "files": ["b/2.jpg"]}"#, #"{"deleted": "2026-11-28T10:00:00.000+00:00"}"#,
        ]
        let paths = [
            "../x.jpg", "/etc/x.jpg", "a//x.jpg", "", "a/../../x.jpg", ".", ".gst-capture/root", "a\\u0000.jpg",
        ]
        let records = texts + paths.map { #"{"deleted": "2026-11-28T10:00:00.000+00:00", "files": ["\#($0)"]}"# }
        for (number, text) in records.enumerated() {
            for step in ["deleting", "restoring", "deleted"] {
                let place = ".gst-capture/trash/garden-pi.i-00000000000000\(10 + number)"
                try folder.write("\(place)/.\(step)", text)
                try folder.write("\(place)/x.jpg", "none")
                try scan()
                try folder.remove(place)
            }
        }
        #expect(exists("a/1.jpg") && exists("b/2.jpg") && exists(".gst-capture/root"))
        #expect(try trash().isEmpty && index.count(LibraryQuery()) == 2)
    }

    @Test("A person can move a picture out of the trash, or empty it by hand")
    func byHand() throws {
        let id = try scanned()
        let files = FileManager.default
        _ = try index.delete([id])
        try files.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: true)
        try files.moveItem(
            atPath: folder.path + "/.gst-capture/trash/\(id)/2.jpg", toPath: folder.path + "/b/2.jpg")
        try scan()
        #expect(try trash().isEmpty && index.count(LibraryQuery()) == 2)
        _ = try index.delete([id])
        try folder.remove(".gst-capture/trash")
        let errors = Errors()
        #expect(try index.restore([id], report: { errors.list.append($0) }).isEmpty)
        #expect(errors.list.count == 1)
        try scan()
        #expect(try trash().isEmpty && index.item(id) == nil)
    }

    @Test("A picture that is deleted during a scan, which has seen its file or has missed it, is in the trash")
    func duringScan() throws {
        let id = try scanned()
        let place = ItemPlace(folder: folder.path + "/b", name: "2.jpg")
        _ = try index.delete([id])
        #expect(try index.write { try $0.revive(place) } == nil)
        #expect(try index.write { try $0.miss(place) } == nil)
        #expect(try trash() == [id])
    }

    @Test("A picture that comes again after its deletion is there")
    func again() throws {
        let id = try scanned()
        _ = try index.delete([id])
        try write("c/new.jpg", 2)
        try scan()
        #expect(try trash().isEmpty && index.count(LibraryQuery()) == 2)
        #expect(try index.item(id)?.places.map(\.name) == ["new.jpg"])
        try expectSameAsNew()
    }

    @Test("A picture that is copied again after its deletion can be deleted again; one that cannot be moved stays")
    func twice() throws {
        let id = try scanned()
        let copy = folder.path + "/keep"
        try FileManager.default.copyItem(atPath: folder.path + "/b/2.jpg", toPath: copy)
        _ = try index.delete([id])
        try FileManager.default.copyItem(atPath: copy, toPath: folder.path + "/a/2.jpg")
        try scan()
        #expect(try index.delete([id]) == [id] && trash() == [id])
        #expect(try index.restore([id]) == [id] && exists("a/2.jpg"))
        // The name is taken in the trash.
        try folder.write(".gst-capture/trash/\(id)/2.jpg", "other")
        let errors = Errors()
        #expect(try index.delete([id], report: { errors.list.append($0) }).isEmpty)
        #expect(errors.list.count == 1 && exists("a/2.jpg"))
        try scan()
        #expect(try trash().isEmpty && index.item(id)?.item.state == .present)
    }

    @Test("Pictures of a disk that is away, and those of sessions, stay at their places")
    func refused() throws {
        let id = try scanned()
        var facts = ItemFacts(.session, taken: .test(0), byteCount: 10, fileName: "1.jpg")
        facts.session = "avatar"
        let ofSession = ItemID(.test, .session(run: "avatar-1", picture: 1))
        try index.write { writer in
            try writer.put(
                LibraryItem(id: ofSession, facts: facts), at: [ItemPlace(folder: folder.path + "/b", name: "2.jpg")])
        }
        let errors = Errors()
        #expect(try index.delete([ofSession], report: { errors.list.append($0) }).isEmpty)
        try FileManager.default.moveItem(atPath: folder.path + "/.gst-capture", toPath: folder.path + "/marker")
        #expect(try index.delete([id], report: { errors.list.append($0) }).isEmpty)
        #expect(errors.list.map(\.code) == [.usage, .noInput] && exists("b/2.jpg"))
    }

    @Test("The trash is emptied by age, or as a whole; the last deleted picture is the first")
    func emptied() throws {
        for number in 1...5 { try write("\(number).jpg", number) }
        try scan()
        let all = try index.page(LibraryQuery(), limit: 9).items.map(\.id)
        for (number, id) in all.enumerated() {
            try index.write { try $0.set(.trash, of: id, since: Int64(1000 + number)) }
        }
        #expect(try trash() == all.reversed())
        let first = try index.trash(limit: 2)
        let position = try #require(first.next.flatMap { TrashPosition("\($0)") })
        #expect(try index.trash(from: position, limit: 9).entries.map(\.item.id) == Array(all.reversed()[2...]))
        #expect(try index.oldestDeletion() == 1000)
        #expect(try index.emptyTrash(before: WallTime(seconds: 1003, nanoseconds: 0)) == 3)
        #expect(try trash() == [all[4], all[3]])
        #expect(try index.emptyTrash() == 2 && trash().isEmpty)
    }

    @Test("To make room, the pictures that were deleted first are erased first")
    func room() throws {
        for number in 1...3 { try write("\(number).jpg", number) }
        try scan()
        let all = try index.page(LibraryQuery(), limit: 9).items.map(\.id)
        for id in all { _ = try index.delete([id]) }
        let trash = try #require(TrashFolder.around(folder.path + "/garden").first)
        var needed = 2
        let count = trash.eraseOldest {
            needed -= 1
            return needed < 0
        }
        #expect(count == 2 && trash.entries().map(\.name) == ["\(all[2])"])
        try scan()
        #expect(try self.trash() == [all[2]])
    }

    private final class Errors { var list: [CaptureError] = [] }
}
#endif
