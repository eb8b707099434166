// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `A drawing` {
    private let plane = String.svg("<rect width='100' height='50' fill='lime'/>", "viewBox='0 0 100 50'")

    @Test func `A drawing fits into its extent and keeps its proportions`() throws {
        let request = RasterRequest.drawing(plane).with { ($0.extentWidth, $0.extentHeight) = (80, 80) }
        let image = try CairoRasterizer.draw(request)
        #expect(image.bounds == [60, 30, 80, 40])
        #expect(image.pixels.allSatisfy { $0 == 0xFF00_FF00 })
    }

    @Test func `A drawing whose fit is cover fills its extent, and is clipped to the frame`() throws {
        let request = RasterRequest.drawing(plane).with {
            ($0.extentWidth, $0.extentHeight, $0.fit) = (150, 100, .cover)
            ($0.pointX, $0.anchor) = (50, UnitPoint(0, 0.5))
        }
        #expect(try CairoRasterizer.draw(request).bounds == [50, 0, 150, 100])
    }

    @Test(arguments: [(0.0, 0.0, 10, 20), (1, 1, -10, 10), (0.5, 1, 0, 10)])
    func `A drawing lies with its anchor on the point`(across: Double, down: Double, x: Int, y: Int) throws {
        let request = RasterRequest.drawing(plane).with {
            ($0.pointX, $0.pointY, $0.anchor) = (10, 20, UnitPoint(across, down))
            ($0.extentWidth, $0.extentHeight) = (20, 20)
        }
        let (left, right) = (max(0, x), x + 20)
        #expect(try CairoRasterizer.draw(request).bounds == [left, y, right - left, 10])
    }

    @Test func `A drawing without a viewBox takes its size from width and height`() throws {
        let svg = String.svg("<rect width='40' height='20'/>", "width='40' height='20'")
        #expect(try CairoRasterizer.draw(.drawing(svg)).bounds == [0, 0, 200, 100])
    }

    @Test func `Lines have the requested width and color at any scale of the drawing`() throws {
        for extent in [50.0, 100, 100.0 / 3] {
            let request = RasterRequest.drawing(.square).with { ($0.extentWidth, $0.extentHeight) = (extent, extent) }
            let image = try CairoRasterizer.draw(request)
            let row = image.pixels[(image.height / 2 * image.width)..<((image.height / 2 + 1) * image.width)]
            let inked = row.reduce(0) { $0 + Double($1.alpha) / 255 }
            #expect(abs(inked - 8) < 0.1, "two lines of 4 pixels at \(extent)")
            #expect(row.allSatisfy { $0 & 0xFFFF == 0 }, "red only")
        }
    }

    @Test func `Lines inherit widths in em from groups, and text keeps its font size`() throws {
        let group = String.svg("<g stroke='currentColor' stroke-width='1em'><path d='M10 50H90'/></g>")
        #expect(try CairoRasterizer.draw(.drawing(group)).bounds == [60, 48, 80, 4])
        let text = String.svg("<text y='80' font-size='50'>H</text>")
        #expect(try CairoRasterizer.draw(.drawing(text)).height > 30)
    }

    @Test func `A drawing keeps the colors that it sets`() throws {
        let svg = String.svg("<rect width='100' height='100' fill='blue'/>")
        #expect(try CairoRasterizer.draw(.drawing(svg))[100, 50] == 0xFF00_00FF)
    }

    @Test func `A line on the edge of a drawing has its full width`() throws {
        let svg = String.svg("<path d='M0 20V80' stroke='currentColor' stroke-width='1em'/>")
        #expect(try CairoRasterizer.draw(.drawing(svg)).bounds == [48, 20, 4, 60])
    }

    @Test func `The area of a drawing is its subject, filled and without lines`() throws {
        let svg = String.svg(
            """
            <path d='M0 0H100' stroke='currentColor' stroke-width='1em'/>
            <rect id='subject' x='20' y='20' width='60' height='60' fill='none' stroke='blue' stroke-width='1em' opacity='.5'/>
            """)
        let style = DrawingStyle(area: .subject, color: .green, stroke: 4, halo: 3)
        let image = try CairoRasterizer.draw(.drawing(svg, style))
        #expect(image.bounds == [70, 20, 60, 60])
        #expect(image.pixels.allSatisfy { $0 == 0xFF00_FF00 })
    }

    @Test func `The area of a drawing without a subject consists of all its shapes`() throws {
        let svg = String.svg("<circle cx='50' cy='50' r='10' fill='none'/><rect width='5' height='5' fill='red'/>")
        let image = try CairoRasterizer.draw(.drawing(svg, DrawingStyle(area: .subject, color: .white, stroke: 1)))
        #expect(image[100, 50] == 0xFFFF_FFFF)
        #expect(image[52, 2] == 0xFFFF_FFFF)
    }

    @Test func `Opacity applies to a drawing as a whole, so that lines are not stronger where they cross`() throws {
        let cross = String.svg(
            "<path d='M0 50H100' id='a' stroke='currentColor' stroke-width='1em'/>"
                + "<path d='M50 0V100' stroke='currentColor' stroke-width='1em'/>")
        var style = DrawingStyle.red
        style.color.alpha = 0.5
        let image = try CairoRasterizer.draw(.drawing(cross, style).with { $0.opacity = 0.5 })
        #expect(image[100, 50].isNear(0x4040_0000))
        #expect(image[60, 50].isNear(0x4040_0000))
        #expect(image.isPremultiplied)
    }

    @Test func `A request without anything visible is drawn as an empty image`() throws {
        #expect(try CairoRasterizer.draw(.drawing(.svg(""))) == .empty)
        #expect(try CairoRasterizer.draw(.good.with { $0.opacity = 0 }) == .empty)
        #expect(try CairoRasterizer.draw(.good.with { $0.extentWidth = 0 }) == .empty)
        #expect(try CairoRasterizer.draw(.good.with { $0.pointX = 1000 }) == .empty)
        #expect(try CairoRasterizer.draw(.good.with { $0.width = 0 }) == .empty)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, .leastNonzeroMagnitude])
    func `A request with extreme numbers is an error or a premultiplied image`(number: Double) throws {
        let numbers: [WritableKeyPath<RasterRequest, Double>] = [
            \.pointX, \.pointY, \.anchor.x, \.anchor.y, \.extentWidth, \.extentHeight, \.opacity,
        ]
        for place in numbers {
            for request in [RasterRequest.good, .text("a"), .drawing(.square)] {
                let image = try? CairoRasterizer.draw(request.with { $0[keyPath: place] = number })
                #expect(image?.isPremultiplied != false)
            }
        }
        let style = DrawingStyle(color: .red, stroke: number, halo: number)
        #expect((try? CairoRasterizer.draw(.drawing(.square, style)))?.isPremultiplied != false)
        let text = RasterRequest.text("a").styled { ($0.lineHeight, $0.halo) = (number, number) }
        #expect((try? CairoRasterizer.draw(text))?.isPremultiplied != false)
    }

    @Test func `CairoRasterizer rasterizes a request asynchronously`() async throws {
        #expect(try await CairoRasterizer().rasterize(.good).bounds == [50, 0, 100, 100])
    }
}
