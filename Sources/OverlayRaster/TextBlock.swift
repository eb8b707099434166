// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// Text that wraps into lines (`PangoLayout`).
struct TextBlock {
    private let text: String
    private let style: TextStyle

    init(_ text: String, _ style: TextStyle) {
        self.text = text
        self.style = style
    }

    /// Draws the text at the request's position; nothing if the machine has no font.
    func draw(_ request: RasterRequest) throws(OverlayError) -> RasterImage {
        guard style.lineHeight.isFinite, style.lineHeight > 0, !text.allSatisfy(\.isWhitespace), Fonts.areInstalled
        else { return .empty }
        let layout = TextLayout(text, style, request)
        let box = ContentBox(anchoring: (layout.box.width, layout.box.height), for: request)
        let area = PixelRectangle(touchedBy: box.touching(layout.ink).grown(by: overhang), in: request)
        guard !area.isEmpty else { return .empty }
        let canvas = try Canvas(area)
        draw(layout, on: canvas, at: box)
        canvas.fade(to: style.color.alpha)
        try canvas.drawHalo(width: style.halo, style.haloColor)
        if let background = style.background { canvas.drawUnder(background) { fillRounded(box, $0) } }
        canvas.fade(to: request.opacity)
        return try canvas.image()
    }

    // The halo or the background, and room for antialiasing, which reaches a pixel further.
    private var overhang: Double { max(style.halo.isFinite ? style.halo : 0, padding) + 2 }

    private var padding: Double { style.lineHeight / 4 }

    private func draw(_ layout: borrowing TextLayout, on canvas: borrowing Canvas, at box: ContentBox) {
        var opaque = style.color
        opaque.alpha = 1
        canvas.setColor(opaque)
        cairo_move_to(canvas.context, box.x - layout.box.x, box.y - layout.box.y)
        pango_cairo_show_layout(canvas.context, layout.pointer)
    }

    private func fillRounded(_ box: ContentBox, _ context: OpaquePointer) {
        let (box, radius) = (box.grown(by: padding), padding)
        let (right, bottom) = (box.x + box.width - radius, box.y + box.height - radius)
        cairo_new_path(context)
        cairo_arc(context, right, box.y + radius, radius, -.pi / 2, 0)
        cairo_arc(context, right, bottom, radius, 0, .pi / 2)
        cairo_arc(context, box.x + radius, bottom, radius, .pi / 2, .pi)
        cairo_arc(context, box.x + radius, box.y + radius, radius, .pi, .pi * 3 / 2)
        cairo_fill(context)
    }
}

extension ContentBox {
    /// Returns this box, extended to the ink beyond it. The ink's edges count from the top left corner of the box.
    fileprivate func touching(_ ink: (left: Double, top: Double, right: Double, bottom: Double)) -> ContentBox {
        var box = self
        box.x += min(0, ink.left)
        box.y += min(0, ink.top)
        box.width = max(width, ink.right) - min(0, ink.left)
        box.height = max(height, ink.bottom) - min(0, ink.top)
        return box
    }
}
