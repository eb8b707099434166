// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LibraryKit

@Suite("Imports")
struct PictureImportTests {
    private let card: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex
    private let picture: JPEGFile

    init() async throws {
        (card, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        picture = try await JPEGFile.made()
    }

    private var target: String { state.path + "/imports" }

    @discardableResult
    private func write(_ name: String, _ number: Int) throws -> String {
        try TaggedPicture.write(picture, number, to: card.path + "/" + name)
    }

    private func run(progress: @escaping (Int, Int) -> Void = { _, _ in }) throws -> ImportReport {
        try PictureImport(index, to: target, progress: progress).run(card.path)
    }

    /// The files below the folder of the copies.
    private var copies: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: target).sorted()) ?? [] }

    @Test("Pictures get folders of their days, and are in the index with the hash of all their bytes")
    func pictures() throws {
        let path = try write("DCIM/100CANON/IMG_0001.JPG", 1)
        try write("DCIM/100CANON/IMG_0002.JPG", 2)
        let report = try run()
        #expect(report.imported.count == 2 && report.knownCount == 0 && report.faults.isEmpty && !report.isCut)
        let day = WallTime.test(86400).iso8601.prefix(10)
        #expect(copies.contains("\(day.prefix(4))/\(day)/IMG_0001.JPG"))
        let item = try #require(try index.item(report.imported[0]))
        #expect(try item.item.facts.sha256 == FileDigest(path, most: 1 << 20).sha256)
        #expect(try Data(contentsOf: URL(filePath: item.places[0].path)) == Data(contentsOf: URL(filePath: path)))
    }

    @Test("The source stays as it is, and a second import copies nothing")
    func again() throws {
        try write("DCIM/100CANON/IMG_0001.JPG", 1)
        let before = try card.listing
        _ = try run()
        let report = try run()
        #expect(report.imported.isEmpty && report.knownCount == 1)
        #expect(try card.listing == before)
    }

    @Test("A picture is known by its content, under any name and in any account")
    func known() throws {
        let first = try write("a.jpg", 1)
        try FileManager.default.copyItem(atPath: first, toPath: card.path + "/b.jpg")
        var item = LibraryItem.picture(1)
        let second = try write("c.jpg", 2)
        let digest = try FileDigest(second, most: 1 << 20)
        (item.facts.sha256, item.facts.byteCount) = (digest.sha256, digest.byteCount)
        let series = try state.write("garden/1.jpg", "")
        try FileManager.default.removeItem(atPath: series)
        try FileManager.default.copyItem(atPath: second, toPath: series)
        let known = item
        try index.write { try $0.put(known, at: [ItemPlace(path: series)]) }
        let report = try run()
        #expect(report.imported.count == 1 && report.knownCount == 2)
    }

    @Test("A picture whose copy is gone is imported again")
    func copyGone() throws {
        try write("1.jpg", 1)
        let first = try run()
        let path = try #require(try index.item(first.imported[0])?.places.first?.path)
        try FileManager.default.removeItem(atPath: path)
        #expect(try run().imported == first.imported)
        #expect(FileManager.default.fileExists(atPath: path))
        var item = LibraryItem.picture(1)
        let second = try write("2.jpg", 2)
        let digest = try FileDigest(second, most: 1 << 20)
        (item.facts.sha256, item.facts.byteCount) = (digest.sha256, digest.byteCount)
        try index.add([item])
        #expect(try run().imported.count == 1)
    }

    @Test("A target whose disk is away ends the import before it writes below it")
    func targetAway() throws {
        try write("1.jpg", 1)
        _ = try run()
        try FileManager.default.removeItem(atPath: target)
        let error = #expect(throws: CaptureError.self) { try run() }
        #expect(error?.code == .noInput && error?.message.contains("offline") == true)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("An import of other files alone succeeds, and its folder belongs to the library")
    func nothing() throws {
        try card.write("a.HEIC", "a")
        #expect(try run().left == [.heic: 1])
        #expect(try index.roots().map(\.path) == [target])
    }

    @Test("Pictures of the same name and day get a number")
    func sameName() throws {
        try write("100CANON/IMG_0001.JPG", 1)
        let other = try write("101CANON/IMG_0001.JPG", 1)
        // The same moment, other bytes.
        try FileHandle.append("other", to: other)
        let report = try run()
        #expect(report.imported.count == 2)
        #expect(
            copies.filter { $0.hasSuffix("JPG") }.map { DeviceFiles.name(of: $0) } == [
                "IMG_0001-2.JPG", "IMG_0001.JPG",
            ])
    }

    @Test("Other kinds of files are left and counted, damaged pictures are reported, and the others imported")
    func others() throws {
        try write("1.jpg", 1)
        for name in ["a.HEIC", "b.heic", "c.CR2", "d.MOV", "e.txt", "f.webp", "1.jpg.XMP"] {
            try card.write(name, name)
        }
        try card.write("damaged.jpg", "no picture")
        try card.write("empty.jpg", "")
        try card.link("loop", to: ".")
        let report = try run()
        #expect(report.imported.count == 1)
        #expect(report.left == [.heic: 2, .raw: 1, .movie: 1, .other: 1, .otherPicture: 1])
        #expect(report.faults.count == 2 && report.faults.allSatisfy { $0.advice != nil })
        #expect(
            report.words.contains("6 left (2 HEIC, 1 RAW, 1 movies, 1 other files, 1 other pictures), 2 unreadable"))
    }

    @Test("MP4 movies are imported; a copy of a clip is known, and a recording that is not complete is reported")
    func movies() throws {
        let clips = LibraryClips(base: target + "/door")
        try clips.add(1)
        _ = try LibraryScan(index, folder: target)
        try MovieFile().write(to: card.path + "/DCIM/copy.MP4")
        var movie = MovieFile()
        (movie.created, movie.samples) = (2_082_844_800 + 86400 * 20000, [1])
        try movie.write(to: card.path + "/DCIM/new.mp4")
        movie.isFragmented = true
        try movie.write(to: card.path + "/DCIM/unfinished.mp4")
        let report = try run()
        #expect(report.imported.count == 1 && report.knownCount == 1 && report.faults.count == 1)
        #expect(report.faults.first?.message == "is a recording that is not complete")
        let item = try #require(try index.item(report.imported[0])?.item)
        #expect(item.facts.kind == .file && item.facts.duration == .milliseconds(1500))
        #expect(item.facts.taken.seconds == 86400 * 20000)
    }

    @Test("A sidecar comes along with its picture, with all its bytes")
    func sidecar() throws {
        let path = try write("1.jpg", 1)
        let values = SidecarValues(tags: ["snow"], rating: 3, title: nil)
        try Data(XMPSidecar.new(values, path: path)).write(to: URL(filePath: path + ".xmp"))
        let report = try run()
        let item = try #require(try index.item(report.imported[0]))
        #expect(item.item.notes == ItemNotes(tags: ["snow"], stars: 3))
        #expect(try index.found("tag:snow stars:3").count == 1)
        #expect(copies.filter { $0.hasSuffix(".xmp") }.count == 1)
    }

    @Test("If the card is pulled, the import ends with the copies so far, and the next one resumes")
    func pulled() throws {
        for number in 1...5 { try write("\(number).jpg", number) }
        let away = card.path + "-away"
        let report = try run { done, all in
            #expect(all == 5)
            if done == 2 { try? FileManager.default.moveItem(atPath: card.path, toPath: away) }
        }
        #expect(report.imported.count == 2 && report.isCut && report.restCount == 3 && report.faults.isEmpty)
        try FileManager.default.moveItem(atPath: away, toPath: card.path)
        let rest = try run()
        #expect(rest.imported.count == 3 && rest.knownCount == 2 && !rest.isCut)
        #expect(copies.filter { $0.hasSuffix(".jpg") }.count == 5)
    }

    @Test(
        "An import that is canceled reports the pictures so far and the number of the others, and the next one resumes")
    func canceled() async throws {
        for number in 1...5 { try write("\(number).jpg", number) }
        let report = try await Task {
            try run { done, _ in if done == 2 { withUnsafeCurrentTask { $0?.cancel() } } }
        }.value
        #expect(report.imported.count == 2 && report.restCount == 3 && !report.isCut && report.faults.isEmpty)
        let rest = try run()
        #expect(rest.imported.count == 3 && rest.knownCount == 2)
    }

    @Test("Pictures that fail while the card goes away are counted with those that were not read")
    func pulledSlowly() throws {
        for number in 1...6 { try write("\(number).jpg", number) }
        let away = card.path + "-away"
        let report = try run { done, _ in
            switch done {
            case 1: try? FileManager.default.removeItem(atPath: card.path + "/2.jpg")
            case 3: for number in 4...5 { try? FileManager.default.removeItem(atPath: card.path + "/\(number).jpg") }
            case 5: try? FileManager.default.moveItem(atPath: card.path, toPath: away)
            default: break
            }
        }
        #expect(report.imported.count == 2 && report.isCut && report.restCount == 3 && report.faults.count == 1)
    }

    @Test("A copy that a crash kept from the index is not copied again")
    func crash() throws {
        try write("1.jpg", 1)
        _ = try run()
        let other = try TemporaryFolder()
        let report = try PictureImport(try LibraryIndex(other), to: target).run(card.path)
        #expect(report.imported.isEmpty && report.knownCount == 1)
    }

    @Test("After a rebuild that a crash ended, nothing is imported twice")
    func endedRebuild() throws {
        try write("1.jpg", 1)
        _ = try run()
        _ = try LibraryScan(index, folder: target)
        #expect(try index.reset().map(\.path) == [target])
        #expect(try index.found().isEmpty && index.roots().map(\.state) == [.stale])
        let report = try run()
        #expect(report.imported.isEmpty && report.knownCount == 1)
        #expect(try index.roots().map(\.state) == [.online])
    }

    @Test("A target that cannot be written ends the import with its error")
    func unwritable() throws {
        try write("1.jpg", 1)
        let error = #expect(throws: CaptureError.self) {
            try PictureImport(index, to: "/proc/imports").run(card.path)
        }
        #expect(error?.subject?.hasPrefix("/proc") == true)
    }

    @Test("A picture that a person has deleted is not imported again while it is in the trash")
    func deleted() throws {
        try write("1.jpg", 1)
        let first = try run()
        #expect(try index.delete(first.imported) == first.imported)
        let report = try run()
        #expect(report.imported.isEmpty && report.deletedCount == 1 && report.words.contains("1 in the trash"))
        // A crash ended the deletion before the index knew it.
        let id = try #require(first.imported.first)
        try index.write { _ = try $0.set(.present, of: id) }
        #expect(try run().deletedCount == 1)
        #expect(try index.emptyTrash() == 1)
        #expect(try run().imported == first.imported)
    }

    @Test("A source that does not exist is an error")
    func noSource() {
        let error = #expect(throws: CaptureError.self) {
            try PictureImport(index, to: target).run("/nowhere/card")
        }
        #expect(error?.code == .noInput && error?.advice == "mount the card")
    }
}

extension TemporaryFolder {
    /// Each file with its size and its time of change.
    fileprivate var listing: [String] {
        get throws {
            let manager = FileManager.default
            return try manager.subpathsOfDirectory(atPath: path).sorted().map { name in
                let values = try manager.attributesOfItem(atPath: path + "/" + name)
                return "\(name) \(values[.size] ?? 0) \(values[.modificationDate] ?? "")"
            }
        }
    }
}

extension FileHandle {
    fileprivate static func append(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
#endif
