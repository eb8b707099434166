// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import OverlayRaster
import PipelineKit
import StillKit
import Synchronization
import Testing

@testable import FilmKit

@Suite("A contact sheet in its file", .timeLimit(.minutes(5)))
struct SheetWriterTests {
    /// The pixels of a sheet, upright.
    private struct Sheet {
        var (width, height) = (0, 0)
        var pixels: [SIMD4<UInt8>] = []

        init(_ path: String) throws {
            let bytes = try RegularFile.read(path, most: 1 << 26)
            let file = try PictureFile(bytes, try #require(PictureHead(bytes)).format)
            var pixels: [SIMD4<UInt8>] = []
            try file.decode(isStrict: true, until: CancelFlag()) { row, _ in pixels += row }
            (width, height, self.pixels) = (file.width, file.height, pixels)
        }

        subscript(x: Int, y: Int) -> SIMD3<UInt8> {
            let pixel = pixels[y * width + x]
            return [pixel.x, pixel.y, pixel.z]
        }

        /// The gray of the middle of a place.
        func middle(_ place: CropRectangle) -> SIMD3<UInt8> {
            self[place.x + place.width / 2, place.y + place.height / 2]
        }
    }

    /// Makes the sheets of a folder; `stopAfter` ends them when this number of pictures is drawn.
    private static func make(
        _ made: MadePictures, to name: String = "sheets/sheet.jpg", overwrites: Bool = false, stopAfter: Int? = nil,
        _ change: (inout SheetSettings) -> Void = { _ in }
    ) async throws -> (report: SheetReport, plan: SheetPlan) {
        let source = try FilmSource(made.path)
        let film = try FilmPlan(source.pictures, FilmSettings(), isOrdered: source.isSeries)
        var settings = SheetSettings()
        settings.width = 800
        change(&settings)
        let plan = try SheetPlan(film, settings, title: source.title)
        let report = SheetReport(plan, FilmReport(film, of: made.path, skipped: source.skipped))
        let box = Mutex<SheetWriter?>(nil)
        let writer = SheetWriter(plan, to: made.path + "/" + name, CairoRasterizer()) { event in
            if case .drawn(let count, _) = event, count == stopAfter { box.withLock { $0 }?.stop() }
        }
        box.withLock { $0 = writer }
        defer { box.withLock { $0 = nil } }
        return (try await writer.run(report, overwrites: overwrites), plan)
    }

    /// A picture of one color.
    private static func picture(_ color: RGBPicture.Pixel, width: Int = 320, height: Int = 240) async throws -> [UInt8]
    {
        let frame = RGBPicture(width: width, height: height) { _, _ in color }
        let jpeg = try await frame.sample().through(
            "videoconvert ! video/x-raw,format=I420,colorimetry=1:4:7:1 ! jpegenc quality=95")
        return try #require(jpeg.buffer).bytes()
    }

    private static let red: RGBPicture.Pixel = [200, 30, 30], green: RGBPicture.Pixel = [30, 180, 30]
    private static let blue: RGBPicture.Pixel = [30, 30, 200]

    @Test(arguments: ["sheets/sheet.jpg", "sheets/sheet.png"])
    func `Pictures are in their fields with their colors, on dark paper with letters`(name: String) async throws {
        let made = try MadePictures()
        for (place, color) in [Self.red, Self.green, Self.blue].enumerated() {
            try made.add("\(place).jpg", try await Self.picture(color), at: Int64(place) * 60)
        }
        let (report, plan) = try await Self.make(made, to: name)
        let path = made.path + "/" + name
        #expect(report.files == [path] && report.isComplete && report.count == 3)
        let sheet = try Sheet(path)
        #expect(FrameSize(width: sheet.width, height: sheet.height) == plan.layout.size)
        for (place, color) in [Self.red, Self.green, Self.blue].enumerated() {
            let field = plan.layout.place(place, of: FrameSize(width: 320, height: 240))
            let (right, bottom) = (field.width - 12, field.height - 12)
            for (x, y) in [(12, 12), (right, 12), (12, bottom), (right, bottom)] {
                #expect(sheet[field.x + x, field.y + y].distance(to: color) < 12, "\(place) \(x) \(y)")
            }
            #expect(sheet[field.x + 2, field.y + field.height + 12].distance(to: [24, 24, 24]) < 10)
        }
        for line in [plan.layout.title, plan.layout.findings] {
            let letters = (line.x..<line.x + 60).flatMap { x in (line.y..<line.y + line.height).map { sheet[x, $0] } }
            #expect(letters.contains { $0.min() > 90 } && letters.contains { $0.max() < 40 })
        }
        let caption = plan.layout.caption(1)
        #expect(
            (caption.x - 20..<caption.x + 20).contains { x in
                (caption.y..<caption.y + caption.height).contains { sheet[x, $0].min() > 100 }
            })
    }

    @Test(arguments: Orientation.allCases)
    func `Pictures are upright`(orientation: Orientation) async throws {
        let upright = RGBPicture(width: 240, height: 160) { x, y in
            x < 120 ? (y < 80 ? [200, 30, 30] : [30, 30, 200]) : (y < 80 ? [30, 200, 30] : [220, 220, 220])
        }
        let made = try MadePictures()
        let inverse = [1, 2, 3, 4, 5, 8, 7, 6][orientation.rawValue - 1]
        let jpeg = try await upright.shown(byExif: inverse).sample().through(
            "videoconvert ! video/x-raw,format=Y444,colorimetry=1:4:7:1 ! jpegenc quality=95")
        try made.add("a.jpg", try #require(jpeg.buffer).bytes(), at: 0, orientation: orientation)
        let (report, plan) = try await Self.make(made)
        let sheet = try Sheet(report.files[0])
        let place = plan.layout.place(0, of: FrameSize(width: 240, height: 160))
        for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)] {
            let found = sheet[place.x + Int(x * Double(place.width)), place.y + Int(y * Double(place.height))]
            #expect(found.distance(to: upright[Int(x * 240), Int(y * 160)]) < 16, "\(orientation) \(x) \(y)")
        }
    }

    @Test func `Damaged pictures leave no hole, and are listed`() async throws {
        let made = try MadePictures()
        for (place, color) in [Self.red, Self.green, Self.blue].enumerated() {
            try made.add("\(place).jpg", try await Self.picture(color), at: Int64(place) * 60)
        }
        let bytes = try made.bytes("1.jpg")
        try made.write("1.jpg", Array(bytes.prefix(bytes.count / 2)))
        try made.write("3.jpg", Array("<html>404 Not Found</html>".utf8))
        let (report, plan) = try await Self.make(made)
        #expect(report.count == 2 && report.findings.skipped.map(\.name) == ["3.jpg", "1.jpg"])
        #expect(report.onSheet().words == "2 files skipped")
        let sheet = try Sheet(report.files[0])
        let size = FrameSize(width: 320, height: 240)
        #expect(sheet.middle(plan.layout.place(1, of: size)).distance(to: Self.blue) < 12)
        #expect(sheet.middle(plan.layout.place(2, of: size)).distance(to: [24, 24, 24]) < 6)
    }

    @Test func `Without a picture that can be shown there is no file`() async throws {
        let made = try await MadePictures(3)
        for place in 0..<3 {
            let name = MadePictures.name(place)
            try made.write(name, Array(try made.bytes(name).dropLast(200)))
        }
        let error = await #expect(throws: CaptureError.self) { try await Self.make(made) }
        #expect(error?.code == .noInput && error?.message == "none of its pictures can be shown")
        #expect(!FileManager.default.fileExists(atPath: made.path + "/sheets"))
    }

    @Test func `A file is replaced only if the user asks for it, and before that no sheet is made`() async throws {
        let made = try await MadePictures(30)
        try made.write("sheets/sheet-2.jpg", [1, 2, 3])
        func change(_ settings: inout SheetSettings) { (settings.choice, settings.columns) = (.all, 2) }
        let error = await #expect(throws: CaptureError.self) { try await Self.make(made, change) }
        #expect(error?.code == .cannotCreate && error?.subject?.hasSuffix("sheet-2.jpg") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: made.path + "/sheets") == ["sheet-2.jpg"])
        #expect(try made.bytes("sheets/sheet-2.jpg") == [1, 2, 3])
        let (report, plan) = try await Self.make(made, overwrites: true, change)
        #expect(report.files.count == plan.sheetCount && plan.sheetCount > 1 && report.count == 30)
        for path in report.files { #expect(try Sheet(path).width == 800) }
    }

    @Test func `Before the last of several sheets nothing is said about skipped files`() {
        let found = SheetFindings(gapCount: 1, missingCount: 12, skippedCount: 3)
        #expect(found.words == "12 pictures missing in 1 gap, 3 files skipped")
        #expect(SheetFindings(gapCount: 0, skippedCount: nil).words == "no gaps found")
        #expect(SheetFindings(gapCount: 0, skippedCount: 0).words == "no gaps found, no files skipped")
        #expect(SheetFindings(gapCount: nil, skippedCount: 1).words == "1 file skipped")
        #expect(SheetFindings(gapCount: nil, skippedCount: nil).words.isEmpty)
    }

    @Test func `Sheets are stopped between pictures, and complete ones stay`() async throws {
        let made = try await MadePictures(30)
        func change(_ settings: inout SheetSettings) { (settings.choice, settings.columns) = (.all, 2) }
        let plan = try await Self.make(made, to: "all/sheet.jpg", change).plan
        let (report, _) = try await Self.make(made, stopAfter: plan.layout.capacity + 1, change)
        #expect(!report.isComplete && report.files.count == 1 && report.count == plan.layout.capacity)
        let error = await #expect(throws: CaptureError.self) { try await Self.make(made, to: "b.jpg", stopAfter: 1) }
        #expect(error?.code == .temporary)
    }

    @Test func `A sheet in memory shows its pictures, and none is drawn for a task that is canceled`() async throws {
        let made = try await MadePictures(5)
        var roll = SheetRoll()
        for place in 0..<5 { roll.append(place, at: .film(Int64(place) * 10)) }
        var draft = SheetDraft("garden", of: roll, by: RegularFile.opened)
        for place in roll.chosen(most: 3) {
            let name = MadePictures.name(place)
            draft.add(made.path + "/" + name, named: name, at: .film(Int64(place) * 10))
        }
        var settings = SheetSettings()
        settings.width = 640
        let bytes = try await draft.jpeg(settings, CairoRasterizer())
        let layout = try SheetLayout(count: 3, aspect: 4.0 / 3, width: 640)
        #expect(PictureHead(bytes).map { FrameSize(width: $0.width, height: $0.height) } == layout.size)
        try made.write("made.jpg", bytes)
        #expect(try FilmPicture(made.path + "/made.jpg", named: "made.jpg").isSheet)
        let task = Task { [draft, settings] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await draft.jpeg(settings, CairoRasterizer())
        }
        let error = await #expect(throws: CaptureError.self) { try await task.value }
        #expect(error?.code == .temporary && error?.subject == "garden")
    }

    @Test func `A sheet is no picture of another one`() async throws {
        let made = try await MadePictures(3)
        for name in ["sheet.jpg", "sheet.png"] {
            #expect(try await Self.make(made, to: name).report.allCount == 3)
        }
        #expect(try FilmSource(made.path).pictures.count == 3 && FilmSource(made.path).skipped.isEmpty)
    }

    @Test func `Hostile pictures are on the sheet or skipped, never a crash`() async throws {
        let folder = "\(#filePath)".replacing("FilmKitTests/SheetWriterTests.swift", with: "StillKitTests/Corpus/")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        var generator = SplitMix(11)
        let made = try MadePictures()
        for (place, name) in names.enumerated() {
            let bytes = try RegularFile.read(folder + name, most: 1 << 24)
            let ending = name.hasSuffix("png") ? "png" : "jpg"
            try made.write("whole\(place).\(ending)", bytes)
            for number in 0..<4 { try made.write("\(place)-\(number).\(ending)", bytes.mutated(&generator)) }
        }
        let (report, plan) = try await Self.make(made) { $0.choice = .all }
        #expect(report.count > 0 && report.isComplete)
        #expect(report.count + report.findings.skipped.count == names.count * 5)
        for path in report.files { #expect(try Sheet(path).width == plan.layout.size.width) }
    }

    @Test func `A caption that is too long keeps its beginning and its end, in one line of its field`() async throws {
        let layout = try SheetLayout(count: 100, aspect: 1.5, width: 3508)
        let text = SheetText(CairoRasterizer(), sheet: layout.size)
        let line = layout.caption(55)
        for name in ["a.jpg", String(repeating: "W", count: 250), String(repeating: "long name ", count: 40) + ".jpg"] {
            let image = try await text.image(name, .caption, at: line)
            let (field, right) = (layout.field(55), image.x + image.width)
            #expect(
                image.x >= field.x - 1 && right <= field.x + field.width + 1, "\(name): \(image.x) \(right) \(field)")
            #expect(image.height < line.height * 3 / 2)
        }
    }

    @Test func `A list has the pictures that it names, and skips what is no picture`() async throws {
        let made = try await MadePictures(3)
        let source = try FilmSource(
            files: ["frame2.jpg", "missing.jpg", "frame0.jpg"].map { made.path + "/" + $0 }, of: "standard input")
        #expect(source.pictures.map { DeviceFiles.name(of: $0.name) } == ["frame2.jpg", "frame0.jpg"])
        #expect(source.skipped.map { DeviceFiles.name(of: $0.name) } == ["missing.jpg"] && !source.isSeries)
    }

    @Test func `The title is that of the album, or the name of the folder`() async throws {
        let made = try await MadePictures(1)
        #expect(try FilmSource(made.path + "/").title == DeviceFiles.name(of: made.path))
        try made.write("album.yaml", Array("id: \"3f9a01bc\"\ntitle: \"Garden 2026\"\n".utf8))
        #expect(try FilmSource(made.path).title == "Garden 2026")
        try made.write("album.yaml", Array("]: damaged".utf8))
        #expect(try FilmSource(made.path).title == DeviceFiles.name(of: made.path))
    }
}
