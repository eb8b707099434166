// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `Text` {
    /// The background of text is its box, enlarged by a quarter of a line.
    private func box(_ request: RasterRequest) throws -> [Int] {
        try CairoRasterizer.draw(request.styled { $0.background = .red }).bounds
    }

    @Test func `Lines of text have the requested height`() throws {
        for text in ["Hg", "Äq", "字", "a\u{1F600}"] {
            #expect(try box(.text(text))[3] == 30, "one line of 20 pixels: \(text)")
        }
        #expect(try box(.text("a\nb\nc"))[3] == 70)
    }

    @Test func `Text lies with the anchor of its box on the point`() throws {
        let corner = RasterRequest.text("Hg").with { ($0.pointX, $0.pointY, $0.anchor) = (20, 30, UnitPoint(0, 0)) }
        #expect(try box(corner).prefix(2) == [15, 25])
        let end = corner.with { ($0.pointX, $0.pointY, $0.anchor) = (180, 90, UnitPoint(1, 1)) }
        let bounds = try box(end)
        #expect([bounds[0] + bounds[2], bounds[1] + bounds[3]] == [185, 95])
    }

    // Pango chooses an empty box or nothing for each process, by chance.
    @Test(arguments: 0..<20) func `Without any font no text is drawn, not even a box`(_: Int) async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let configuration = try folder.write("fonts.conf", "<fontconfig></fontconfig>")
            setenv("FONTCONFIG_FILE", configuration, 1)
            let image = try CairoRasterizer.draw(.text("0"))
            try #require(image.pixels.isEmpty)
        }
    }

    @Test func `Text wraps at its extent, and within a word that is too long`() throws {
        let words = RasterRequest.text("one two three").with { $0.extentWidth = 60 }
        #expect(try box(words)[3] > 50)
        #expect(try box(words)[2] <= 72)
        let word = RasterRequest.text("Donaudampfschifffahrt").with { $0.extentWidth = 60 }
        #expect(try box(word)[2] <= 72)
    }

    @Test func `Text is aligned to the side of its anchor`() throws {
        func gaps(_ anchor: Double) throws -> (long: Int, short: Int) {
            let request = RasterRequest.text("MMMM\ni").with { ($0.anchor.x, $0.pointX) = (anchor, 100) }
            let image = try CairoRasterizer.draw(request)
            let columns = (image.x..<image.x + image.width).filter { x in
                (image.y + image.height * 2 / 3..<image.y + image.height).contains { image[x, $0] != 0 }
            }
            return (image.x, try #require(columns.first))
        }
        let (left, middle, right) = (try gaps(0), try gaps(0.5), try gaps(1))
        #expect(left.short - left.long < 4)
        #expect(middle.short - middle.long > 15)
        #expect(right.short - right.long > 35)
    }

    @Test func `Text has the requested color and opacity`() throws {
        let request = RasterRequest.text("█").styled { $0.color = .red }.with { $0.opacity = 0.5 }
        let image = try CairoRasterizer.draw(request)
        #expect(image[image.x + image.width / 2, 50].isNear(0x8080_0000))
        #expect(image.isPremultiplied)
    }

    @Test func `Text has the requested background with round corners`() throws {
        let image = try CairoRasterizer.draw(
            .text("Hg").styled { $0.background = Color(red: 0, green: 0, blue: 1, alpha: 0.5) })
        #expect(image[image.x, image.y].alpha < 0x20)
        #expect(image[image.x + image.width / 2, image.y].isNear(0x8000_0080))
    }

    @Test(arguments: ["", " ", "\n \t\n", "\u{2028}\u{3000}"])
    func `Text without visible characters is drawn as an empty image`(text: String) throws {
        #expect(try CairoRasterizer.draw(.text(text).styled { $0.background = .red }) == .empty)
    }

    @Test(arguments: [
        "مرحبا بالعالم", "שלום", "नमस्ते", "👩‍👩‍👧‍👦 🏳️‍🌈", "Z̷̡̛͓͎a̸l̵g̶o̴", "\u{202E}abc\u{202C}", "\u{FFFE}\u{10FFFF}", "a\u{0}b",
        "<b>&amp;", "%s%n", "\u{2028}\u{2029}\r\n\r", "ﷺ꧅𒐫",
    ])
    func `Text of any Unicode characters is drawn as a premultiplied image`(text: String) throws {
        #expect(try CairoRasterizer.draw(.text(text).styled { $0.halo = 1 }).isPremultiplied)
    }

    @Test func `Text that extends beyond the frame is clipped to it`() throws {
        let bounds = try CairoRasterizer.draw(.text("MMMMMM", lineHeight: 150)).bounds
        #expect(bounds[0] >= 0 && bounds[1] >= 0 && bounds[0] + bounds[2] <= 200 && bounds[1] + bounds[3] <= 100)
        #expect(bounds[3] == 100)
    }

    @Test(arguments: ["", "No Such Font At All", "Sans 99999", ",,,,", "\u{1F600} Bold", "Sans @wght=1e9"])
    func `Text in an unknown font is drawn in another font`(font: String) throws {
        #expect(try CairoRasterizer.draw(.text("Hg").styled { $0.font = font }).ink > 20)
    }

    @Test func `Text that is too long is refused`() throws {
        let text = String(repeating: "a", count: RasterLimits.textBytes + 1)
        #expect { try CairoRasterizer.draw(.text(text)) } throws: { ($0 as? OverlayError)?.code == .tooMuch }
    }
}
