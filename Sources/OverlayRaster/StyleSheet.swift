// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// The CSS for a drawing. It overrides the drawing's own style.
struct StyleSheet {
    let css: String
    /// The distance by which lines and their halo can extend beyond the drawing's edge, in pixels.
    let overhang: Double

    /// - Parameter scale: Pixels for each user unit.
    init(_ style: DrawingStyle, scale: Double) {
        let stroke = style.stroke.isFinite ? max(0, style.stroke) : 0
        let halo = style.halo.isFinite ? max(0, style.halo) : 0
        overhang = style.area != nil ? 1 : stroke + halo + 2
        css = style.area != nil ? Self.area(style.color) : Self.lines(style.color, em: stroke / scale)
    }

    // A shape's em is its own font size, which nothing else uses: shapes have no text, and text in the drawing keeps
    // its size.
    private static func lines(_ color: Color, em: Double) -> String {
        """
        svg { color: \(hex(color)) !important }
        path, rect, circle, ellipse, line, polyline, polygon { font-size: \(em)px !important }
        """
    }

    // An area consists of the filled shapes; lines do not count.
    private static func area(_ color: Color) -> String {
        """
        * { fill: \(hex(color)) !important; fill-opacity: 1 !important; opacity: 1 !important; stroke: none !important }
        """
    }

    private static func hex(_ color: Color) -> String {
        let channels = [color.red, color.green, color.blue].map { UInt8(($0 * 255).rounded()) }
        return "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
