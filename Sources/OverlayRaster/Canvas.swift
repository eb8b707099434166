// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// A rectangle of the frame to draw on, in the frame's coordinates (`cairo_image_surface_create`).
struct Canvas: ~Copyable {
    /// The cairo context, valid while the canvas exists.
    let context: OpaquePointer
    private let surface: OpaquePointer
    private let area: PixelRectangle

    /// Creates a transparent canvas.
    ///
    /// - Throws: ``OverlayError`` with `tooMuch` if there is not enough memory.
    init(_ area: PixelRectangle) throws(OverlayError) {
        self.area = area
        surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(area.width), Int32(area.height))
        context = cairo_create(surface)
        let status = cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw OverlayError(
                .tooMuch, "no memory to draw \(area.width) x \(area.height) pixels: \(Self.text(of: status))")
        }
        cairo_translate(context, -Double(area.x), -Double(area.y))
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Reduces the opacity of the drawing so far.
    func fade(to opacity: Double) {
        guard opacity < 1 else { return }
        cairo_set_operator(context, CAIRO_OPERATOR_DEST_IN)
        cairo_set_source_rgba(context, 0, 0, 0, opacity)
        cairo_paint(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    }

    /// Draws a halo around the drawing so far, below it.
    func drawHalo(width: Double, _ color: Color) throws(OverlayError) {
        guard width > 0, color.alpha > 0 else { return }
        let mask = try withPixels { pixels, stride throws(OverlayError) in
            try Halo.mask(of: pixels, stride: stride, area.width, area.height, width: width)
        }
        defer { cairo_surface_destroy(mask) }
        drawUnder(color) { cairo_mask_surface($0, mask, Double(area.x), Double(area.y)) }
    }

    /// Draws in one color, below the drawing so far.
    func drawUnder(_ color: Color, _ draw: (OpaquePointer) -> Void) {
        cairo_set_operator(context, CAIRO_OPERATOR_DEST_OVER)
        setColor(color)
        draw(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    }

    /// Sets the color to draw with from now on.
    func setColor(_ color: Color) {
        cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    }

    /// Returns the drawing, cropped to the pixels that are not transparent.
    ///
    /// - Throws: ``OverlayError`` with `tooMuch` if cairo failed while drawing.
    func image() throws(OverlayError) -> RasterImage {
        let status = cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw OverlayError(.tooMuch, "cairo could not draw it: \(Self.text(of: status))")
        }
        return withPixels { pixels, stride in
            let rows = PixelRows(first: pixels, stride: stride, width: area.width, height: area.height)
            return rows.image(at: area.x, area.y)
        }
    }

    private func withPixels<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<UInt32>, Int) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface)) / MemoryLayout<UInt32>.stride
        return try cairo_image_surface_get_data(surface).withMemoryRebound(
            to: UInt32.self, capacity: stride * area.height
        ) { pixels throws(Failure) in try body(pixels, stride) }
    }

    private static func text(of status: cairo_status_t) -> String { String(cString: cairo_status_to_string(status)) }
}
