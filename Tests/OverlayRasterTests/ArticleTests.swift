// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import OverlayCompositor
import OverlayRaster
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of a drawing` {
    @Test func `The example of the article runs`() async throws {
        let circle = "<circle cx='50' cy='50' r='40' fill='none' stroke='currentColor' stroke-width='1em'/>"
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>\(circle)</svg>"
        let style = DrawingStyle(color: .white, stroke: 3)
        let request = RasterRequest(
            .drawing(svg: Array(svg.utf8), style), width: 640, height: 360, point: (x: 320, y: 180), anchor: .center,
            extent: (width: 300, height: 300))
        let image = try CairoRasterizer.draw(request)
        print(image.width, "x", image.height, "pixels at", image.x, image.y)
        #expect(image.width > 240 && image.width == image.height)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfADrawing", in: "OverlayRaster", missingIn: #filePath) == [])
    }
}
