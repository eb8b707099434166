// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import StillKit
import Synchronization
import Testing

@testable import LibraryKit

@Suite("Albums")
struct AlbumTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex
    private let picture: JPEGFile

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        picture = try await JPEGFile.made()
    }

    private var albums: String { folder.path + "/albums" }
    private var pictures: String { folder.path + "/pictures" }

    private func write(_ name: String, _ number: Int) throws {
        try TaggedPicture.write(picture, number, to: pictures + "/" + name)
    }

    private func scan(_ paths: [String]? = nil) throws {
        for path in paths ?? [albums, pictures] {
            _ = try LibraryScan(index, folder: path, accepts: true, report: { Issue.record($0) })
        }
    }

    private func found(_ text: String) throws -> Set<String> {
        Set(try index.page(LibraryQuery(text + " "), limit: 100).items.map(\.facts.fileName))
    }

    private func ids(_ text: String = "") throws -> [ItemID] {
        try index.page(LibraryQuery(text), limit: 100).items.map(\.id)
    }

    /// Three pictures of files, and the album *Summer* with the two oldest of them.
    private func summer() throws -> Album {
        for number in 1...3 { try write("\(number).jpg", number) }
        try scan([pictures])
        let album = try index.createAlbum("Summer", in: albums)
        let ids = try ids()
        #expect(try index.add([ids[2], ids[1]], to: album) == [ids[2], ids[1]])
        return try index.album("Summer")
    }

    @Test("A picture whose first file is gone is exported from an album, before a scan has found that")
    func exported() throws {
        _ = try summer()
        try folder.remove("pictures/1.jpg")
        let report = try PictureExport(index, to: state.path + "/export").run(LibraryQuery())
        #expect(report.copiedCount == 3 && report.faults.isEmpty)
    }

    @Test("Albums that are created and filled during scans keep their pictures")
    func duringScans() async throws {
        _ = try summer()
        let (id, end) = (try ids()[0], End())
        async let scans: Void = Self.scan(albums, index, until: end)
        do {
            defer { end.isReached.withLock { $0 = true } }
            for number in 0..<30 {
                let album = try index.createAlbum("Album \(number)", in: albums)
                #expect(try index.add([id], to: album) == [id])
                #expect(try index.album(album.id).count == 1)
            }
        }
        try await scans
        #expect(try index.albums().count == 31)
        #expect(try index.item(id)?.places.count { $0.role == .album } == 30)
    }

    @Test("A scan that has read the index before an album was created leaves the album's pictures in it")
    func createdMeanwhile() throws {
        let album = try summer()
        #expect(try index.write { try $0.readAlbum(in: album.folder) })
        #expect(try index.album(album.id) == album && album.count == 2)
        try FileManager.default.removeItem(atPath: album.folder + "/" + AlbumFile.name)
        #expect(try index.write { try !$0.readAlbum(in: album.folder) })
        #expect(try index.albums().isEmpty)
    }

    private final class End: Sendable { let isReached = Mutex(false) }

    @concurrent
    private static func scan(_ folder: String, _ index: LibraryIndex, until end: End) async throws {
        while !end.isReached.withLock({ $0 }) { _ = try LibraryScan(index, folder: folder) }
    }

    @Test("A file that was added after its folder was listed is not gone")
    func addedLater() throws {
        _ = try summer()
        var gone = GonePlaces()
        gone.add(try index.files(in: pictures), in: pictures)
        #expect(Array(gone.places) == [])
        try FileManager.default.removeItem(atPath: pictures + "/1.jpg")
        gone.add(try index.files(in: pictures), in: pictures)
        #expect(gone.places.map(\.name) == ["1.jpg"])
    }

    /// Checks that a new index has the same content, in each order of the folders.
    private func expectSameAsNew(_ line: SourceLocation = #_sourceLocation) throws {
        for paths in [[albums, pictures], [pictures, albums]] {
            let other = try TemporaryFolder()
            let new = try LibraryIndex(other)
            for path in paths { _ = try LibraryScan(new, folder: path) }
            #expect(try new.content == index.content, sourceLocation: line)
            #expect(try new.albums() == index.albums(), sourceLocation: line)
        }
    }

    @Test("An album is a folder of links in the order of addition, and a term of searches")
    func created() throws {
        let album = try summer()
        let names = try FileManager.default.contentsOfDirectory(atPath: albums + "/Summer").sorted()
        #expect(names == ["00001-1.jpg", "00002-2.jpg", "album.yaml"])
        var (link, original) = (stat(), stat())
        #expect(lstat(albums + "/Summer/00001-1.jpg", &link) == 0 && lstat(pictures + "/1.jpg", &original) == 0)
        #expect(link.st_ino == original.st_ino)
        #expect(try found("album:Summer") == ["1.jpg", "2.jpg"] && found("-album:Summer") == ["3.jpg"])
        #expect(try found("summ").isEmpty && index.page(LibraryQuery("summ"), limit: 9).items.count == 2)
        #expect(try index.roots().map(\.state) == [.online, .online])
        #expect(try album.count == 2 && album.cover == ids().last && index.count(LibraryQuery()) == 3)
        #expect(try index.add(ids(), to: album).count == 1)
        try scan()
        #expect(try index.album(album.id).count == 3)
        try expectSameAsNew()
    }

    @Test("A tag is added to each file of a picture, and a picture that is deleted returns into its albums")
    func tagged() throws {
        _ = try summer()
        let id = try ids()[2]
        var change = NotesChange()
        change.added = ["snow"]
        _ = try index.change([id], change)
        #expect(FileManager.default.fileExists(atPath: albums + "/Summer/00001-1.jpg.xmp"))
        try expectSameAsNew()
        _ = try index.delete([id])
        #expect(try found("album:Summer") == ["2.jpg"])
        #expect(!FileManager.default.fileExists(atPath: albums + "/Summer/00001-1.jpg"))
        try scan()
        try expectSameAsNew()
        _ = try index.restore([id])
        #expect(try found("album:Summer tag:snow") == ["1.jpg"])
        try scan()
        try expectSameAsNew()
    }

    @Test("An album gets another title, and its pictures stay when it is removed")
    func renamed() throws {
        let album = try summer()
        try index.rename(album, to: "Winter: \"2026\"")
        #expect(try found("album:Summer").isEmpty && index.album(album.id).title == "Winter: \"2026\"")
        try scan()
        try expectSameAsNew()
        #expect(try index.remove([ids()[1]], from: index.album(album.id)) == [ids()[1]])
        #expect(try index.album(album.id).count == 1)
        try expectSameAsNew()
        try index.remove(index.album(album.id))
        #expect(try index.albums().isEmpty && index.count(LibraryQuery()) == 3)
        #expect(!FileManager.default.fileExists(atPath: album.path))
        try scan()
        try expectSameAsNew()
    }

    @Test("The folder of an album can be renamed, copied and removed by hand, and gets pictures by hand")
    func byHand() throws {
        let album = try summer()
        let files = FileManager.default
        try files.moveItem(atPath: album.path, toPath: albums + "/elsewhere")
        try files.copyItem(atPath: albums + "/elsewhere", toPath: albums + "/copy")
        try TaggedPicture.write(picture, 7, to: albums + "/copy/seven.jpg")
        try scan()
        #expect(try index.albums().map(\.id) == [album.id] && found("album:Summer") == ["1.jpg", "2.jpg", "seven.jpg"])
        try expectSameAsNew()
        try files.removeItem(atPath: albums + "/copy/album.yaml")
        try scan()
        #expect(try found("album:Summer").count == 2 && index.count(LibraryQuery()) == 4)
        try expectSameAsNew()
        try files.removeItem(atPath: albums + "/elsewhere")
        try scan()
        #expect(try index.albums().isEmpty && found("album:Summer").isEmpty && index.count(LibraryQuery()) == 4)
        try expectSameAsNew()
    }

    @Test("Any names in the folder of an album leave room for further pictures")
    func names() throws {
        let album = try summer()
        for name in ["9223372036854775807-x.jpg", "-1-x.jpg", "99999999-y.jpg", "-.jpg"] {
            try TaggedPicture.write(picture, name.utf8.count, to: album.path + "/" + name)
        }
        try scan()
        #expect(try index.album("Summer").count == 6)
        #expect(try index.add([ids("3.jpg")[0]], to: album).count == 1)
    }

    @Test("A picture whose original is gone stays in its album, and cannot be lost by removing the album")
    func alone() throws {
        let album = try summer()
        let id = try ids()[2]
        try FileManager.default.removeItem(atPath: pictures + "/1.jpg")
        try scan()
        #expect(try index.item(id)?.item.state == .present)
        try expectSameAsNew()
        var errors: [CaptureError] = []
        #expect(try index.remove([id], from: album, report: { errors.append($0) }).isEmpty)
        #expect(errors.map(\.subject) == ["\(id)"])
        try index.remove(album)
        #expect(try index.trash(limit: 9).entries.map(\.item.id) == [id] && index.albums().isEmpty)
    }

    @Test("Pictures of a series are in albums with their IDs; those that the series removes stay in the album")
    func ofSeries() async throws {
        let ledger = Ledger(pictures + "/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        for number in 0..<2 {
            try write("\(number).jpg", number + 1)
            var entry = LedgerEntry.picture(number, "\(pictures)/\(number).jpg")
            if case .captured(var still) = entry.outcome {
                let digest = try FileDigest("\(pictures)/\(number).jpg", most: 1 << 20)
                (still.byteCount, still.sha256) = (digest.byteCount, digest.sha256)
                entry.outcome = .captured(still)
            }
            try await ledger.append([entry])
        }
        try scan([pictures])
        let album = try index.createAlbum("Best", in: albums)
        #expect(try index.add(ids("kind:still"), to: album).count == 2)
        try scan()
        #expect(try ids("kind:still album:Best ").count == 2)
        try expectSameAsNew()
        try FileManager.default.removeItem(atPath: pictures + "/0.jpg")
        try await ledger.append(LedgerRemoval(file: pictures + "/0.jpg", time: .test(50), reason: "count"))
        await ledger.close(.completed)
        try scan()
        #expect(try index.count(LibraryQuery()) == 2 && ids("kind:file album:Best ").count == 1)
        try expectSameAsNew()
    }

    @Test(
        "A damaged album.yaml is one error, and its pictures are found",
        arguments: [
            "", "{", "id: x\ntitle: y", "id: 0123abcd", "id: 0123abcd\ntitle: ''", "id: [1]\ntitle: a", "\u{0}",
            "id: 0123abcd\ntitle: \"a\\nb\"",
        ])
    func damaged(text: String) throws {
        try folder.write("albums/a/album.yaml", text)
        try TaggedPicture.write(picture, 1, to: albums + "/a/1.jpg")
        var errors: [CaptureError] = []
        _ = try LibraryScan(index, folder: albums, report: { errors.append($0) })
        #expect(try index.albums().isEmpty && index.count(LibraryQuery()) == 1)
        #expect(errors.count == 1)
    }

    @Test(
        "Titles that are taken, empty or too long are refused; signs in them are no folders",
        arguments: ["a/b", "..", "ä ö", ".x"])
    func titles(title: String) throws {
        let album = try index.createAlbum(title, in: albums)
        #expect(StillFolder.path(of: album.path) == albums)
        for wrong in [title, "", " ", "a\nb", String(repeating: "a", count: 201)] {
            let error = #expect(throws: CaptureError.self) { try index.createAlbum(wrong, in: albums) }
            #expect(error?.code == .usage && error?.advice != nil)
        }
    }
}
#endif
