// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LibraryKit

@Suite("Exports and verification")
struct ExportAndVerificationTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        let picture = try await JPEGFile.made()
        for (number, name) in ["a/1.jpg", "b/1.jpg", "b/2.jpg"].enumerated() {
            try TaggedPicture.write(picture, number + 1, to: folder.path + "/" + name)
        }
        _ = try LibraryScan(index, folder: folder.path)
        var change = NotesChange()
        change.added = ["snow"]
        _ = try index.change(try index.page(LibraryQuery("2.jpg"), limit: 1).items.map(\.id), change)
    }

    private var target: String { state.path + "/export" }
    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: target).sorted() }
    }

    @Test("An export copies each picture under its own name with its sidecar, and a second one copies nothing")
    func export() throws {
        let report = try PictureExport(index, to: target).run(LibraryQuery())
        #expect(report.copiedCount == 3 && report.faults.isEmpty)
        let names = try files
        #expect(names.count == 4 && names.contains("1.jpg") && names.contains("2.jpg.xmp"))
        #expect(names.contains { $0.hasPrefix("1_garden-pi.i-") && $0.hasSuffix(".jpg") })
        #expect(try PictureExport(index, to: target).run(LibraryQuery()).knownCount == 3)
        #expect(try files == names)
    }

    @Test("An export of a search copies only what it finds")
    func search() throws {
        #expect(try PictureExport(index, to: target).run(LibraryQuery("tag:snow ")).copiedCount == 1)
        #expect(try files == ["2.jpg", "2.jpg.xmp"])
    }

    @Test("A picture that is gone is one error, and the others are exported")
    func gone() throws {
        try folder.remove("b/2.jpg")
        let report = try PictureExport(index, to: target).run(LibraryQuery())
        #expect(report.copiedCount == 2 && report.faults.count == 1)
    }

    @Test("A name that another picture has in the folder becomes one with the ID")
    func taken() throws {
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try Data("theirs".utf8).write(to: URL(filePath: target + "/2.jpg"))
        try folder.remove("b/1.jpg")
        let report = try PictureExport(index, to: target).run(LibraryQuery())
        #expect(report.copiedCount == 2 && report.faults.count == 1)
        #expect(try files.contains { $0.hasPrefix("2_garden-pi.i-") && $0.hasSuffix(".jpg") })
        #expect(try String(contentsOfFile: target + "/2.jpg", encoding: .utf8) == "theirs")
    }

    @Test("A copy has the time of its source, which is the moment of pictures without EXIF")
    func time() throws {
        let time = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path + "/b/2.jpg")
        _ = try PictureExport(index, to: target).run(LibraryQuery("tag:snow "))
        let copied = try FileManager.default.attributesOfItem(atPath: target + "/2.jpg")[.modificationDate] as? Date
        #expect(copied == time)
    }

    @Test("A folder that cannot be written ends the export")
    func unwritable() {
        #expect(throws: CaptureError.self) { try PictureExport(index, to: "/proc/export").run(LibraryQuery()) }
    }

    @Test("Verification gives pictures their hash, and later finds those that changed or are gone")
    func verify() throws {
        let first = try LibraryVerification(index, LibraryQuery())
        #expect(first.hashedCount == 3 && first.goodCount == 0 && first.faults.isEmpty)
        #expect(try LibraryVerification(index, LibraryQuery()).goodCount == 3)
        let path = folder.path + "/b/1.jpg"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        try folder.remove("b/2.jpg")
        let result = try LibraryVerification(index, LibraryQuery())
        #expect(result.goodCount == 1 && result.faults.count == 2)
        #expect(result.faults.contains { $0.subject == path && $0.advice != nil })
    }

    @Test("A scan keeps the hash of a file that did not change")
    func keepsHash() throws {
        _ = try LibraryVerification(index, LibraryQuery())
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try LibraryVerification(index, LibraryQuery()).hashedCount == 0)
    }
}
#endif
