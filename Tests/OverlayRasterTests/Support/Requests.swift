// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

extension Color {
    static let red = Color(red: 1, green: 0, blue: 0)
    static let green = Color(red: 0, green: 1, blue: 0)
}

extension DrawingStyle {
    /// Red lines of 4 pixels.
    static let red = DrawingStyle(color: .red, stroke: 4)
}

extension RasterRequest {
    /// A drawing that fills a frame of 200 x 100.
    static func drawing(_ svg: String, _ style: DrawingStyle = .red) -> RasterRequest {
        .filling(.drawing(svg: Array(svg.utf8), style))
    }

    /// A picture that fills a frame of 200 x 100.
    static func picture(_ bytes: [UInt8], tint: Color? = nil) -> RasterRequest {
        .filling(.picture(bytes, tint: tint))
    }

    /// Text in the middle of a frame of 200 x 100.
    static func text(_ text: String, lineHeight: Double = 20) -> RasterRequest {
        .filling(.text(text, TextStyle(font: "DejaVu Sans Bold", lineHeight: lineHeight, color: .white)))
    }

    /// A black square of 100 units, which any rasterizer can draw.
    static let good = RasterRequest.drawing(.svg("<rect width='100' height='100'/>"))

    private static func filling(_ content: Content) -> RasterRequest {
        RasterRequest(content, width: 200, height: 100, point: (100, 50), anchor: .center, extent: (200, 100))
    }

    /// The same request with a change.
    func with(_ change: (inout RasterRequest) -> Void) -> RasterRequest {
        var changed = self
        change(&changed)
        return changed
    }

    /// The same text in another style.
    func styled(_ change: (inout TextStyle) -> Void) -> RasterRequest {
        with { request in
            guard case .text(let text, var style) = request.content else { return }
            change(&style)
            request.content = .text(text, style)
        }
    }
}

extension String {
    /// A drawing of 100 x 100 units.
    static func svg(_ content: String, _ attributes: String = "viewBox='0 0 100 100'") -> String {
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \(attributes)>\(content)</svg>"
    }

    /// A square of 60 units in the middle, in lines of 1 em.
    static let square = svg(
        "<rect id='subject' x='20' y='20' width='60' height='60' fill='none' stroke='currentColor' stroke-width='1em'/>"
    )
}
