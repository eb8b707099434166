// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LibraryKit

@Suite("Archives of pictures", .timeLimit(.minutes(2)))
struct PictureArchiveTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        let picture = try await JPEGFile.made()
        for (number, name) in ["a/1.jpg", "b/1.JPG", "b/2.jpg", "b/ü.jpg"].enumerated() {
            try TaggedPicture.write(picture, number + 1, to: folder.path + "/" + name)
        }
        _ = try LibraryScan(index, folder: folder.path)
        var change = NotesChange()
        change.added = ["snow"]
        _ = try index.change(try index.page(LibraryQuery("2.jpg"), limit: 1).items.map(\.id), change)
    }

    private var target: String { state.path + "/export/best.zip" }
    /// The names beside the archive.
    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: state.path + "/export").sorted() }
    }

    /// Extracts the archive. Returns the folder.
    private func extracted() async throws -> String {
        let outcome = try await StillTool.run("unzip", ["-d", state.path + "/out", target])
        #expect(outcome.status == 0, "\(outcome.text)")
        return state.path + "/out"
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test(
        "An archive has the pictures and sidecars under the names of an export, with their times",
        .enabled(if: StillTool.has("unzip"), StillTool.advice))
    func archive() async throws {
        let time = Date(timeIntervalSince1970: 1_000_000_001)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path + "/b/2.jpg")
        var steps: [Int] = []
        let report = try PictureArchive(index, to: target) { done, _ in steps.append(done) }.run(LibraryQuery())
        #expect(report.copiedCount == 4 && report.faults.isEmpty && steps == [1, 2, 3, 4])
        #expect(try files == ["best.zip"])
        let out = try await extracted()
        let names = try FileManager.default.contentsOfDirectory(atPath: out)
        #expect(names.count == 5 && Set(names).isSuperset(of: ["1.JPG", "2.jpg", "2.jpg.xmp", "ü.jpg"]))
        // Names that differ in case alone are one name on other systems.
        #expect(names.contains { $0.hasPrefix("1_garden-pi.i-") && $0.hasSuffix(".jpg") })
        for name in ["2.jpg", "2.jpg.xmp", "ü.jpg"] {
            #expect(try bytes(out + "/" + name) == bytes(folder.path + "/b/" + name))
        }
        #expect(try FileManager.default.attributesOfItem(atPath: out + "/2.jpg")[.modificationDate] as? Date == time)
    }

    @Test("An archive of a search has only the pictures that it finds", .enabled(if: StillTool.has("zipinfo")))
    func search() async throws {
        #expect(try PictureArchive(index, to: target).run(LibraryQuery("tag:snow ")).copiedCount == 1)
        let outcome = try await StillTool.run("zipinfo", ["-1", target])
        #expect(outcome.text == "2.jpg\n2.jpg.xmp\n")
    }

    @Test("A search without pictures leaves no file")
    func nothing() throws {
        #expect(try PictureArchive(index, to: target).run(LibraryQuery("tag:none ")).copiedCount == 0)
        #expect(try files == [])
    }

    @Test(
        "A picture that is gone is one error, and the archive has the others",
        .enabled(if: StillTool.has("unzip"), StillTool.advice))
    func gone() async throws {
        try folder.remove("b/2.jpg")
        let report = try PictureArchive(index, to: target).run(LibraryQuery())
        #expect(report.copiedCount == 3 && report.faults.count == 1)
        #expect(report.faults.first?.subject == folder.path + "/b/2.jpg")
        let out = try await extracted()
        #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 3)
    }

    @Test("Without any picture that is there, there are errors and no file")
    func allGone() throws {
        for name in ["a", "b"] { try folder.remove(name) }
        #expect(try PictureArchive(index, to: target).run(LibraryQuery()).faults.count == 4)
        #expect(try files == [])
    }

    @Test(
        "A picture that changes while it is read is one error, and the archive has the others",
        .enabled(if: StillTool.has("unzip"), StillTool.advice))
    func changing() async throws {
        // The kernel's files have the size 0 when they are opened, and more bytes when they are read.
        try folder.remove("b/2.jpg")
        try folder.link("b/2.jpg", to: "/proc/self/status")
        let report = try PictureArchive(index, to: target).run(LibraryQuery())
        #expect(report.copiedCount == 3 && report.faults.count == 1)
        #expect(report.faults.first?.message.contains("changed") == true && report.faults.first?.advice != nil)
        let out = try await extracted()
        #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 3)
    }

    @Test("A file that exists is refused with its remedy, and stays")
    func exists() throws {
        try state.write("export/best.zip", "theirs")
        let error = #expect(throws: CaptureError.self) { try PictureArchive(index, to: target).run(LibraryQuery()) }
        #expect(error?.code == .cannotCreate && error?.subject == target && error?.advice?.contains("another") == true)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    }

    @Test("A file that another program creates meanwhile is refused at the end, and stays")
    func created() throws {
        let error = #expect(throws: CaptureError.self) {
            try PictureArchive(index, to: target) { done, _ in
                if done == 1 { _ = try? state.write("export/best.zip", "theirs") }
            }.run(LibraryQuery())
        }
        #expect(error?.systemError == EEXIST && error?.advice?.contains("remove") == true)
        #expect(try files == ["best.zip"])
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    }

    @Test("A canceled export leaves no file")
    func canceled() async throws {
        let error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return #expect(throws: CaptureError.self) { try PictureArchive(index, to: target).run(LibraryQuery()) }
        }.value
        #expect(error?.code == .temporary)
        #expect(try files == [])
    }

    @Test("A folder that cannot be written ends the export")
    func unwritable() {
        #expect(throws: CaptureError.self) { try PictureArchive(index, to: "/proc/best.zip").run(LibraryQuery()) }
    }
}
#endif
