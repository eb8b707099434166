// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `A built-in outline` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "pipelines/outlines")

    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".svg") }.map { String($0.dropLast(4)) }.sorted() ?? []

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name + ".svg"), encoding: .utf8)
    }

    private func draw(_ name: String, _ style: DrawingStyle) throws -> RasterImage {
        let svg = Array(try Self.text(name).utf8)
        return try CairoRasterizer.draw(
            RasterRequest(
                .drawing(svg: svg, style), width: 1920, height: 1080, point: (960, 540), anchor: .center,
                extent: (1920, 1080)))
    }

    @Test func `Built-in outlines exist for people, faces, hands, cards, documents, plates and wide pictures`() {
        let all = ["body-front", "body-side", "card", "document", "face", "hand", "letterbox", "passport", "plate"]
        #expect(Self.names == all)
    }

    @Test(arguments: names)
    func `A built-in outline has a title and a subject, and takes the requested color and width`(name: String) throws {
        let text = try Self.text(name)
        #expect(text.contains("<title>") && text.contains(#"id="subject""#))
        let thin = try draw(name, DrawingStyle(color: .red, stroke: 3))
        let wide = try draw(name, DrawingStyle(color: .red, stroke: 12))
        #expect(thin.coverage > 0 && wide.coverage > thin.coverage * 2)
        #expect(wide.pixels.allSatisfy { $0 & 0xFFFF == 0 }, "all of it is red")
    }

    @Test(arguments: names)
    func `The subject of a built-in outline covers the middle of the frame`(name: String) throws {
        let area = try draw(name, DrawingStyle(area: .subject, color: .black, stroke: 0))
        #expect(area.coverage > 40_000)
        let middle = (540 - area.y) * area.width + 960 - area.x
        #expect(area.pixels[middle] >> 24 == 255, "the middle of the frame is inside")
    }

    @Test(arguments: [("card", 85.60 / 53.98), ("document", 210 / 297.0), ("passport", 35 / 45.0)])
    func `The crop of a card, a document or a passport photo has the proportions of the object`(
        name: String, aspect: Double
    ) throws {
        let area = try draw(name, DrawingStyle(area: .crop, color: .black, stroke: 0))
        #expect(abs(Double(area.width) / Double(area.height) - aspect) < 0.005)
    }

    @Test func `The head of the passport outline has 70 to 80 percent of the height of the photo`() throws {
        let head = try draw("passport", DrawingStyle(area: .subject, color: .black, stroke: 0))
        // The drawing is 51 mm high, and the photo within it 45 mm.
        let photo = 1080 * 45.0 / 51
        #expect((0.70...0.80).contains(Double(head.height) / photo))
    }
}

extension RasterImage {
    /// The number of pixels that are at least half covered.
    fileprivate var coverage: Int { pixels.count { $0 >> 24 > 127 } }
}
