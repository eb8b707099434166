// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import StillKit
import Testing

@testable import FilmKit

@Suite("The pictures of a film", .timeLimit(.minutes(5)))
struct FilmSourceTests {
    @Test func `A folder has its pictures with times, sizes and cameras; other files are skipped`() async throws {
        let made = try MadePictures()
        let frames = try await MadePictures.frames(3)
        try made.add("1.jpg", frames[0], at: 10, camera: "X100")
        try made.add("2.JPEG", frames[1], at: 20, camera: "Maker X200", orientation: .turnedRight)
        try made.add("3.jpg", frames[2])
        try made.write("page.jpg", Array("<html><title>404</title></html>".utf8))
        try made.write("empty.jpg", [])
        try made.write("cut.jpg", Array(frames[0].prefix(40)))
        try made.write("notes.txt", Array("text".utf8))
        try made.write(".hidden.jpg", frames[0])
        try made.write("below/4.jpg", frames[0])
        try made.folder.link("broken.jpg", to: "missing.jpg")
        try made.folder.link("link.jpg", to: "1.jpg")
        let source = try FilmSource(made.path)
        #expect(!source.isSeries)
        #expect(source.pictures.map(\.name) == ["1.jpg", "2.JPEG", "3.jpg", "link.jpg"])
        let picture = source.pictures[0]
        #expect(picture.size == FrameSize(width: 64, height: 48) && picture.camera == "Maker X100")
        #expect(picture.moment == FilmPicture.Moment(.film(10), .capture))
        #expect(source.pictures[1].size == FrameSize(width: 48, height: 64))
        #expect(source.pictures[1].orientation == .turnedRight && source.pictures[1].camera == "Maker X200")
        #expect(source.pictures[2].moment.origin == .file && source.pictures[2].camera == nil)
        #expect(
            source.skipped.sorted { $0.name < $1.name } == [
                SkippedPicture(name: "cut.jpg", reason: "is damaged: its head states no size"),
                SkippedPicture(name: "empty.jpg", reason: "is empty"),
                SkippedPicture(name: "page.jpg", reason: "is neither a JPEG nor a PNG picture"),
            ])
    }

    @Test func `Of a folder without pictures, those in the folders inside count`() async throws {
        let made = try MadePictures()
        let frame = try await MadePictures.frames(1)[0]
        for name in ["2026-11-21/10.jpg", "2026-11-21/9.jpg", "2026-11-20/1.jpg"] { try made.add(name, frame) }
        let plan = try FilmPlan(try FilmSource(made.path + "/").pictures, FilmSettings())
        #expect(plan.frames.map(\.picture.name) == ["2026-11-20/1.jpg", "2026-11-21/9.jpg", "2026-11-21/10.jpg"])
    }

    @Test func `A series has the order, the slots and the brightness of its ledger`() async throws {
        let made = try MadePictures()
        let frames = try await MadePictures.frames(4)
        let ledger = Ledger(made.path + "/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        var entries: [LedgerEntry] = []
        for (slot, name) in [(0, "b.jpg"), (1, "a.jpg"), (4, "c.jpg"), (5, "gone.jpg")] {
            if name != "gone.jpg" { try made.add(name, frames[entries.count], at: 0) }
            entries.append(.picture(slot, made.path + "/" + name))
        }
        try await ledger.append(entries + [.missed(2...3, "camera")])
        await ledger.close(.completed)
        for path in [made.path, ledger.path] {
            let source = try FilmSource(path)
            #expect(source.isSeries && source.pictures.map(\.name) == ["b.jpg", "a.jpg", "c.jpg"])
            #expect(source.pictures.map(\.brightness) == [0.5, 0.5, 0.5])
            #expect(source.pictures[2].slot == FilmPicture.Slot(series: 1, index: 4))
            #expect(source.pictures[2].moment.time == .test(40))
            #expect(source.skipped == [SkippedPicture(name: "gone.jpg", reason: "there is no such file")])
            let plan = try FilmPlan(source.pictures, FilmSettings(), isOrdered: source.isSeries)
            #expect(plan.gaps.map(\.missingCount) == [2])
        }
    }

    @Test func `A service opens no file outside the folder, also by a link or a ledger`() async throws {
        let (made, other) = (try MadePictures(), try MadePictures())
        let frames = try await MadePictures.frames(2)
        try made.add("in.jpg", frames[0], at: 10)
        try other.add("out.jpg", frames[1], at: 20)
        try made.folder.link("link.jpg", to: other.path + "/out.jpg")
        let folder = try FilmSource(made.path, isConfined: true)
        #expect(folder.pictures.map(\.name) == ["in.jpg"] && folder.skipped.map(\.name) == ["link.jpg"])
        #expect(try FilmSource(made.path).pictures.count == 2)
        let ledger = Ledger(made.path + "/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        let paths = ["in.jpg", "link.jpg", "../" + (other.path.split(separator: "/").last ?? "") + "/out.jpg"]
        try await ledger.append(paths.enumerated().map { .picture($0, made.path + "/" + $1) })
        await ledger.close(.completed)
        let series = try FilmSource(made.path, isConfined: true)
        #expect(series.isSeries && series.pictures.map(\.name) == ["in.jpg"] && series.skipped.count == 2)
        let lines = try LedgerPictures(ledger.path).lines(after: 0).lines
        #expect(lines.count == 3 && lines.count { (try? $0.picture.get()) != nil } == 1)
        // The file can be replaced by a link after its head was read.
        let picture = try #require(series.pictures.first)
        try made.folder.remove("in.jpg")
        try made.folder.link("in.jpg", to: other.path + "/out.jpg")
        await #expect(throws: CaptureError.self) { try await FrameLoader.level(of: picture) }
    }

    @Test func `A path that leads to no pictures is one error`() throws {
        let made = try MadePictures()
        try made.write("a.txt", [1])
        for (path, message) in [
            ("/none", "there is no such file or folder"), ("/a.txt", "is neither a folder nor a ledger"),
        ] {
            let error = #expect(throws: CaptureError.self) { try FilmSource(made.path + path) }
            #expect(error?.code == .noInput && error?.message == message && error?.subject == made.path + path)
        }
        #expect(try FilmSource(made.path).pictures.isEmpty)
    }

    @Test func `Pictures with any bytes are read or skipped`() async throws {
        var generator = SplitMix(1)
        let made = try MadePictures()
        var metadata = StillMetadata(captured: .film(0), width: 48, height: 32)
        (metadata.make, metadata.model) = ("Maker", "Model")
        let bytes = try await metadata.embedded(in: MadePictures.frames(1)[0], .jpeg)
        for number in 0..<500 {
            try made.write("\(number).jpg", bytes.mutated(&generator).mutated(&generator))
        }
        let source = try FilmSource(made.path)
        #expect(source.pictures.count + source.skipped.count == 500 && source.pictures.count > 100)
    }
}
