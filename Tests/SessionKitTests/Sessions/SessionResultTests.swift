// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import OverlayCompositor
import OverlayRaster
import PresetKit
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

@Suite("Photo strips and contact sheets", .timeLimit(.minutes(2)))
struct SessionResultTests {
    private func picture(_ width: Int, _ height: Int) -> SessionSheet.Picture {
        SessionSheet.Picture(path: "/a.jpg", width: width, height: height)
    }

    @Test(
        "A strip is as long as its pictures need, and shows at most eight", arguments: [(1, 464), (4, 1504), (9, 2896)])
    func strip(count: Int, height: Int) {
        let sheet = SessionSheet(
            .strip, of: Array(repeating: picture(640, 360), count: count), titled: "Ada")
        #expect(sheet.width == 640 && sheet.height == height && sheet.height % 16 == 0)
        #expect(sheet.layers.count == min(count, 8) + 1)
    }

    @Test("A contact sheet has one size, and shows at most 100 pictures", arguments: [1, 7, 150])
    func sheet(count: Int) {
        let sheet = SessionSheet(.contactSheet, of: Array(repeating: picture(480, 640), count: count), titled: "")
        #expect(sheet.width == 1792 && sheet.height == 1200 && sheet.layers.count == min(count, 100))
    }

    @Test("An accepted session makes its results, records them, and removes them with its folder")
    func whole() async throws {
        let folder = try TemporaryFolder()
        var session = SessionDescription(name: "two", stages: ["one", "two"].map { SessionStage(name: $0) })
        (session.countdown, session.results) = (.zero, [.strip, .contactSheet])
        let camera = CaptureConfiguration(source: .camera(.scene), output: .caller)
        var configuration = SessionConfiguration(cameras: [.front: camera], output: .folder(in: folder.path))
        configuration.isAutomatic = true
        let controller = SessionController(session, configuration, rasterizer: CairoRasterizer())
        let outcome = await controller.run()
        #expect(outcome.ending == .accepted)
        #expect(outcome.results.map(\.name) == ["strip.jpg", "contact-sheet.jpg"])
        let path = try #require(outcome.folder)
        let entry = try SessionArchive.entry(at: path)
        #expect(entry.record.results == outcome.results)
        for (file, width) in zip(outcome.results, [640, 1792]) {
            let picture = try LibraryPicture(path: path + "/" + file.name)
            #expect(
                picture.bytes.count == file.byteCount && (picture.width, picture.height) == (file.width, file.height))
            #expect(file.width == width && file.height % 16 == 0)
        }
        #expect(try await !entry.expire())
        #expect(FileManager.default.fileExists(atPath: path + "/strip.jpg"), "without a limit, pictures are kept")
        var record = entry.record
        // The library writes tags beside pictures; they can have names of people.
        for name in entry.record.pictures.map(\.file.name) + ["strip.jpg"] {
            try "tags".write(toFile: "\(path)/\(name).xmp", atomically: true, encoding: .utf8)
        }
        record.retention = .zero
        try record.json.write(toFile: path + "/" + SessionRecord.fileName, atomically: true, encoding: .utf8)
        #expect(try await entry.expire())
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A record that names another file as a result is refused")
    func hostile() throws {
        let record = SessionRecord(SessionDescription(name: "a", stages: [SessionStage(name: "one")]))
        let file =
            #"{"file": "../x", "bytes": 1, "sha256": "\#(String(repeating: "a", count: 64))", "width": 1, "height": 1}"#
        let text = record.json.replacing(#""stages""#, with: #""results": [\#(file)], "stages""#)
        let error = #expect(throws: CaptureError.self) {
            try SessionRecord(bytes: Array(text.utf8), path: "session.json")
        }
        #expect(error?.description.contains("is not a result") == true, "\(error?.description ?? "")")
    }
}
