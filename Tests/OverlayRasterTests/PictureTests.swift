// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `A picture` {
    @Test func `A picture fits into its extent, and has sharp edges`() throws {
        let image = try CairoRasterizer.draw(.picture(try Corpus.file("halves.png")))
        #expect(image.bounds == [25, 0, 150, 100])
        #expect(image[25, 0] == 0xFFFF_0000)
        #expect(image[174, 99].isNear(0x8000_0080))
        #expect(image.isPremultiplied)
    }

    @Test func `A picture whose fit is cover fills its extent`() throws {
        let image = try CairoRasterizer.draw(.picture(try Corpus.file("halves.png")).with { $0.fit = .cover })
        #expect(image.bounds == [0, 0, 200, 100])
    }

    @Test func `A picture is rotated as its orientation tag says`() throws {
        let image = try CairoRasterizer.draw(.picture(try Corpus.file("turned.jpg")))
        #expect(image.bounds == [75, 0, 50, 100], "16 x 8, upright 8 x 16")
        #expect(image[100, 10].isNear(0xFFFF_0000, within: 12), "the left half is on top")
        #expect(image[100, 90].isNear(0xFF00_00FF, within: 12))
    }

    @Test func `A picture with a tint is a mask for that color`() throws {
        let tint = Color(red: 0, green: 1, blue: 0, alpha: 0.5)
        let image = try CairoRasterizer.draw(.picture(try Corpus.file("halves.png"), tint: tint))
        #expect(image[30, 50].isNear(0x8000_8000))
        #expect(image[170, 50].isNear(0x4000_4000))
    }

    @Test func `A picture has the requested opacity`() throws {
        let image = try CairoRasterizer.draw(.picture(try Corpus.file("halves.png")).with { $0.opacity = 0.25 })
        #expect(image[30, 50].isNear(0x4040_0000))
        #expect(image[170, 50].isNear(0x2000_0020))
    }

    @Test func `A picture that is scaled down shows the average of its pixels`() throws {
        let stripes = PNGFile.gray(width: 400, height: 200) { x, _ in x % 2 == 0 ? 255 : 0 }
        let image = try CairoRasterizer.draw(.picture(stripes).with { ($0.extentWidth, $0.extentHeight) = (40, 20) })
        #expect(image.bounds == [80, 40, 40, 20])
        #expect((85..<115).allSatisfy { image[$0, 50].isNear(0xFF80_8080, within: 10) })
    }
}
