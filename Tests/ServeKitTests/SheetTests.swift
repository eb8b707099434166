// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureKit
import CaptureTestSupport
import Dispatch
import FilmKit
import Foundation
import OverlayRaster
import ServiceKit
import StillKit
import Synchronization
import Testing

@testable import ServeKit

@Suite("Contact sheets of a service", .timeLimit(.minutes(2)))
struct SheetTests {
    private static let cameras = """
          garden: { camera: scene, width: 320, height: 240, output: FOLDER/pictures/%n.jpg }
        """
    private static let path = "/api/v1/series/garden/sheet"
    private static let albums = "/api/v1/library/albums"

    /// The pixels of a sheet.
    private struct Sheet {
        let size: FilmKit.FrameSize
        private var pixels: [SIMD4<UInt8>] = []

        init(_ response: MemoryService.Response) throws {
            try #require(response.status == 200, "\(response.text)")
            #expect(response.head.contains("Content-Type: image/jpeg"))
            #expect(response.head.contains("Cache-Control: private, no-cache"))
            let file = try PictureFile(Array(response.body), .jpeg)
            size = FilmKit.FrameSize(width: file.width, height: file.height)
            var pixels: [SIMD4<UInt8>] = []
            try file.decode(isStrict: true, until: CancelFlag()) { row, _ in pixels += row }
            self.pixels = pixels
        }

        /// The number of the first fields whose middle is red.
        func redCount(_ layout: SheetLayout) -> Int {
            (0..<layout.capacity).prefix { number in
                let place = layout.place(number, of: FilmKit.FrameSize(width: 320, height: 240))
                let pixel = pixels[(place.y + place.height / 2) * size.width + place.x + place.width / 2]
                return pixel.x > 150 && pixel.y < 80
            }.count
        }
    }

    private static func layout(_ count: Int, hasCaptions: Bool = true) throws -> SheetLayout {
        try SheetLayout(count: count, aspect: 4.0 / 3, width: 640, hasCaptions: hasCaptions)
    }

    /// Writes red pictures, of which no two are the same.
    @discardableResult
    private static func write(_ paths: [String], in folder: TemporaryFolder) async throws -> [String] {
        var files: [String] = []
        for path in paths {
            let shade = UInt8(files.count * 8)
            let frame = RGBPicture(width: 320, height: 240) { _, _ in [200, shade / 2, shade] }
            let sample = try await frame.sample().through("videoconvert ! video/x-raw,format=I420 ! jpegenc")
            files.append(try folder.write(path, ""))
            try Data(#require(sample.buffer).bytes()).write(to: URL(filePath: files[files.count - 1]))
        }
        return files
    }

    /// Writes the ledger of the camera's requested pictures, which are 10 s apart.
    private static func writeLedger(_ files: [String], in folder: TemporaryFolder) async throws {
        let template = try FileNameTemplate(parsing: folder.path + "/pictures/%n.jpg")
        let ledger = Ledger(
            Ledger.standardPath(for: template),
            series: SeriesDescription(template: "%n.jpg", interval: nil, schedule: "on request"))
        try await ledger.open()
        for (index, file) in files.enumerated() {
            let bytes = try Array(Data(contentsOf: URL(filePath: file)))
            var entry = LedgerEntry.picture(index, file, sha256: SHA256.digits(of: bytes))
            if case .captured(var still) = entry.outcome {
                still.byteCount = bytes.count
                entry.outcome = .captured(still)
            }
            try await ledger.append([entry])
        }
        await ledger.close(.stopped)
    }

    /// The series of the camera's requested pictures, without a service.
    private static func series(in folder: TemporaryFolder) throws -> ServiceSeries {
        let text = "cameras:\n" + cameras.replacing("FOLDER", with: folder.path)
        let configuration = try ServiceConfiguration(path: try folder.write("serve.yaml", text))
        return try #require(configuration.allPictures.first?.series)
    }

    /// Runs a service with pictures 10 s apart from 2027-01-15T08:00:00Z on.
    private static func run(
        _ count: Int, tokens: [String: Role]? = nil, _ body: (MemoryService, [String: String]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await writeLedger(write((1...count).map { "pictures/\($0).jpg" }, in: folder), in: folder)
        try await MemoryService.run(cameras, in: folder, tokens: tokens, body)
    }

    @Test("The sheet of a series has its size, and a field for each picture that is chosen")
    func series() async throws {
        try await Self.run(7) { service, _ in
            for (query, count) in [
                ("", 7), ("&most=3", 3), ("&most=1", 1), ("&caption=name", 7),
                ("&since=2027-01-15T08:00:30Z", 4), ("&since=2027-01-15T08:00:30Z&until=2027-01-15T08:00:50Z", 2),
            ] {
                let sheet = try Sheet(try await service.get("\(Self.path)?width=640\(query)"))
                let layout = try Self.layout(count)
                #expect(sheet.size == layout.size && sheet.redCount(layout) == count, "\(query)")
            }
            let bare = try Sheet(try await service.get("\(Self.path)?width=640&caption=none"))
            #expect(try bare.size == Self.layout(7, hasCaptions: false).size)
            #expect(try Sheet(try await service.get(Self.path)).size.width == 2560)
            #expect(try await service.request("HEAD", Self.path).status == 200)
        }
    }

    @Test("The sheet of an album has the pictures of the album")
    func album() async throws {
        try await Self.run(4) { service, _ in
            var changes = service.feed.arrivals.makeAsyncIterator()
            var ids: [String] = []
            while true {
                let items = try await service.get("/api/v1/library/items").json["items"] as? [[String: Any]] ?? []
                ids = items.compactMap { $0["id"] as? String }.filter { $0.contains(".garden-") }
                if ids.count == 4 { break }
                _ = try #require(await changes.next())
            }
            let json = #"{"title": "Summer", "add": ["\#(ids[0])", "\#(ids[2])", "\#(ids[3])"]}"#
            let created = try await service.send("POST", Self.albums, json: json)
            let album = "\(Self.albums)/\(try #require(created.json["id"] as? String))/sheet"
            for (query, count) in [("", 3), ("&most=2", 2), ("&until=2027-01-15T08:00:15Z", 2)] {
                let sheet = try Sheet(try await service.get("\(album)?width=640\(query)"))
                let layout = try Self.layout(count)
                #expect(sheet.size == layout.size && sheet.redCount(layout) == count, "\(query)")
            }
            #expect(try await service.get(album + "?until=2001-01-01").status == 404)
            #expect(try await service.get(album + "?most=0").status == 400)
            let empty = try await service.send("POST", Self.albums, json: #"{"title": "Empty"}"#)
            let id = try #require(empty.json["id"] as? String)
            let response = try await service.get("\(Self.albums)/\(id)/sheet")
            #expect(response.status == 404 && !response.text.contains(service.folder.path), "\(response.text)")
        }
    }

    @Test(
        "A request for a sheet that is wrong gets one line without a path",
        arguments: [
            ("", "most=0", 400), ("", "most=401", 400), ("", "most=-1", 400), ("", "most=99999999999999999999", 400),
            ("", "most=1&most=2", 400), ("", "width=639", 400), ("", "width=4097", 400), ("", "width=1e3", 400),
            ("", "caption=path", 400), ("", "caption", 400), ("", "since=yesterday-ish", 400), ("", "until=%00", 400),
            ("", "outcome=late", 400), ("", "until=2001-01-01", 404), ("/api/v1/series/none/sheet", "", 404),
            ("/api/v1/series/..%2f..%2fetc/sheet", "", 404), ("/api/v1/library/albums/00000000/sheet", "", 404),
            ("/api/v1/library/albums/..%2fpictures/sheet", "", 404),
        ])
    func wrong(path: String, query: String, status: Int) async throws {
        try await Self.run(1) { service, _ in
            let response = try await service.get("\(path.isEmpty ? Self.path : path)?\(query)")
            #expect(response.status == status && !response.text.contains(service.folder.path), "\(response.text)")
            #expect(response.head.contains("Content-Type: application/problem+json"))
        }
    }

    @Test("A series without a ledger has no sheet")
    func withoutLedger() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let response = try await service.get(Self.path)
            #expect(response.status == 404 && !response.text.contains(service.folder.path), "\(response.text)")
        }
    }

    @Test("The error of a damaged ledger names the series, and no path")
    func damagedLedger() throws {
        let folder = try TemporaryFolder()
        let template = try FileNameTemplate(parsing: folder.path + "/pictures/%n.jpg")
        let ledger = Ledger.standardPath(for: template)
        try FileManager.default.createDirectory(
            at: URL(filePath: ledger).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("no database".utf8).write(to: URL(filePath: ledger))
        let series = try Self.series(in: folder)
        let error = #expect(throws: CaptureError.self) {
            try series.sheet(LedgerFilter(), most: 1, until: CancelFlag())
        }
        #expect(error?.subject == "garden" && error?.summary.contains(folder.path) == false, "\(error as Any)")
    }

    @Test("No sheet shows a file that is not in the folder of the series, or a damaged one")
    func outside() async throws {
        let folder = try TemporaryFolder()
        let files = try await Self.write(["other/1.jpg", "pictures/2.jpg", "pictures/4.jpg"], in: folder)
        try folder.link("pictures/3.jpg", to: files[0])
        try Data(contentsOf: URL(filePath: files[2])).dropLast(600).write(to: URL(filePath: files[2]))
        let base = folder.path + "/pictures"
        let foreign = [files[0], "\(base)/3.jpg", "\(base)/../other/1.jpg"]
        try await Self.writeLedger(foreign + files.dropFirst(), in: folder)
        try await MemoryService.run(Self.cameras, in: folder) { service in
            let sheet = try Sheet(try await service.get(Self.path + "?width=640"))
            // The head of the last one is sound: its field stays empty.
            #expect(try sheet.size == Self.layout(2).size && sheet.redCount(Self.layout(2)) == 1)
            try FileManager.default.removeItem(atPath: files[1])
            let response = try await service.get(Self.path)
            #expect(response.status == 404 && response.text.contains("none of its pictures can be shown"))
            #expect(!response.text.contains(folder.path))
        }
    }

    @Test("A token that may only view gets sheets, as a field or in the address")
    func roles() async throws {
        try await Self.run(1, tokens: ["view": .view]) { service, fields in
            let field = try #require(fields["view"])
            let token = field.replacing("Authorization: Bearer ", with: "")
            #expect(try await service.get(Self.path, field).status == 200)
            #expect(try await service.get(Self.path + "?token=" + token).status == 200)
            #expect(try await service.get(Self.path).status == 401)
        }
    }

    /// Whether the pictures of a sheet are being read.
    private final class Reader: Sendable {
        let isBusy = Mutex(false)
    }

    @Test("One sheet is drawn at a time, and one too many is refused")
    func turns() async {
        let sheets = ContactSheets(CairoRasterizer())
        let gate = DispatchSemaphore(value: 0)
        let reader = Reader()
        let codes = await withTaskGroup(of: CaptureError.Code?.self) { group in
            for _ in 0...ContactSheets.mostPending {
                group.addTask {
                    do throws(CaptureError) {
                        _ = try await sheets.jpeg(SheetSettings()) { _ throws(CaptureError) in
                            #expect(reader.isBusy.withLock { exchange(&$0, with: true) } == false)
                            gate.wait()
                            reader.isBusy.withLock { $0 = false }
                            return SheetDraft("garden", of: SheetRoll(), by: RegularFile.opened)
                        }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            // The others wait until the first one ends.
            var codes = [await group.next() ?? nil]
            for _ in 0..<ContactSheets.mostPending { gate.signal() }
            for await code in group { codes.append(code) }
            return codes
        }
        #expect(codes.first == CaptureError.Code.temporary)
        #expect(codes.dropFirst() == Array(repeating: CaptureError.Code.noInput, count: ContactSheets.mostPending)[...])
    }

    @Test("Reading ends when it is canceled")
    func canceled() async throws {
        let folder = try TemporaryFolder()
        try await Self.writeLedger(Self.write(["pictures/1.jpg"], in: folder), in: folder)
        let (series, flag) = (try Self.series(in: folder), CancelFlag())
        flag.set()
        let error = #expect(throws: CaptureError.self) { try series.sheet(LedgerFilter(), most: 1, until: flag) }
        #expect(error?.code == .temporary && error?.subject == "garden")
    }
}
#endif
