// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `A halo` {
    private let line = String.svg("<path d='M20 50H80' stroke='currentColor' stroke-width='1em'/>")

    @Test func `A halo has the requested width on each side of a line, and lies below it`() throws {
        let style = DrawingStyle(color: .red, stroke: 4, halo: 3, haloColor: .black)
        let image = try CairoRasterizer.draw(.drawing(line, style))
        #expect(
            (44...55).map { image[100, $0] } == [
                0, 0xFF00_0000, 0xFF00_0000, 0xFF00_0000, 0xFFFF_0000, 0xFFFF_0000, 0xFFFF_0000, 0xFFFF_0000,
                0xFF00_0000, 0xFF00_0000, 0xFF00_0000, 0,
            ])
    }

    @Test func `A halo of one and a half pixels covers half of the second pixel`() throws {
        let style = DrawingStyle(color: .red, stroke: 4, halo: 1.5, haloColor: .black)
        let image = try CairoRasterizer.draw(.drawing(line, style))
        #expect(image[100, 46].isNear(0x8000_0000))
        #expect(image[100, 45] == 0)
    }

    @Test func `A halo has its own opacity, and is not stronger where lines cross`() throws {
        let style = DrawingStyle(
            color: .red, stroke: 4, halo: 3, haloColor: Color(red: 0, green: 0, blue: 1, alpha: 0.5))
        let cross = String.svg(
            "<path d='M20 50H80M50 20V80' stroke='currentColor' stroke-width='1em'/>"
                + "<path d='M20 20L80 80' stroke='currentColor' stroke-width='1em'/>")
        let image = try CairoRasterizer.draw(.drawing(cross, style))
        #expect(image[70, 46].isNear(0x8000_0080))
        #expect(image.pixels.allSatisfy { $0 & 0xFF <= 0x81 })
    }

    @Test func `A circle with a halo covers the area of a ring within 1 percent`() throws {
        let circle = String.svg("<circle cx='50' cy='50' r='30' fill='none' stroke='currentColor' stroke-width='1em'/>")
        let style = DrawingStyle(color: .red, stroke: 4, halo: 3, haloColor: .black)
        let image = try CairoRasterizer.draw(.drawing(circle, style))
        let ring = Double.pi * (35 * 35 - 25 * 25)
        #expect(abs(image.ink - ring) / ring < 0.01, "the area of a ring of 10 pixels")
    }

    @Test func `A halo extends the bounds of text by its width on each side`() throws {
        let plain = try CairoRasterizer.draw(.text("é"))
        let edged = try CairoRasterizer.draw(.text("é").styled { $0.halo = 2 })
        #expect(edged.bounds == [plain.x - 2, plain.y - 2, plain.width + 4, plain.height + 4])
    }
}
