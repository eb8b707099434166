// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// A decoded picture, turned upright according to its orientation (`GdkPixbuf`).
struct Picture: ~Copyable {
    private let surface: OpaquePointer
    private let size: (width: Double, height: Double)

    /// Decodes a file: PNG, JPEG, or another format that GdkPixbuf reads.
    ///
    /// - Throws: ``OverlayError`` with `damaged` if the file cannot be read to its end, `tooMuch` if the picture is too
    ///   large.
    init(_ bytes: [UInt8]) throws(OverlayError) {
        let pixbuf = try PictureLoader().load(bytes)
        defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
        let surface = try Self.surface(of: pixbuf)
        self.surface = surface
        size = (Double(gdk_pixbuf_get_width(pixbuf)), Double(gdk_pixbuf_get_height(pixbuf)))
    }

    deinit { cairo_surface_destroy(surface) }

    /// Draws the picture at the request's position and size.
    func draw(tint: Color?, _ request: RasterRequest) throws(OverlayError) -> RasterImage {
        let box = ContentBox(fitting: size, for: request)
        let area = PixelRectangle(touchedBy: box, in: request)
        guard !area.isEmpty else { return .empty }
        let canvas = try Canvas(area)
        paint(on: canvas.context, in: box, tint)
        canvas.fade(to: request.opacity)
        return try canvas.image()
    }

    // Pixels beyond the edge repeat those on it; otherwise the edge would be blurred.
    private func paint(on context: OpaquePointer, in box: ContentBox, _ tint: Color?) {
        let pattern = cairo_pattern_create_for_surface(surface)
        defer { cairo_pattern_destroy(pattern) }
        var matrix = cairo_matrix_t()
        cairo_matrix_init_scale(&matrix, size.width / box.width, size.height / box.height)
        cairo_matrix_translate(&matrix, -box.x, -box.y)
        cairo_pattern_set_matrix(pattern, &matrix)
        // `GOOD` averages the pixels that an output pixel covers; `BEST` overshoots at edges.
        cairo_pattern_set_filter(pattern, CAIRO_FILTER_GOOD)
        cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_clip(context)
        if let tint {
            cairo_set_source_rgba(context, tint.red, tint.green, tint.blue, tint.alpha)
            cairo_mask(context, pattern)
        } else {
            cairo_set_source(context, pattern)
            cairo_paint(context)
        }
        cairo_reset_clip(context)
    }

    private static func surface(of pixbuf: OpaquePointer) throws(OverlayError) -> OpaquePointer {
        let (width, height) = (gdk_pixbuf_get_width(pixbuf), gdk_pixbuf_get_height(pixbuf))
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height),
            cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let target = cairo_image_surface_get_data(surface)
        else { throw OverlayError(.tooMuch, "no memory for a picture of \(width) x \(height) pixels") }
        let stride = Int(cairo_image_surface_get_stride(surface))
        let source = PixbufRows(pixbuf)
        for y in 0..<Int(height) {
            let row = UnsafeMutableRawPointer(target + y * stride)
            source.copyRow(y, to: row.assumingMemoryBound(to: UInt32.self))
        }
        cairo_surface_mark_dirty(surface)
        return surface
    }
}

/// The pixels of a GdkPixbuf: RGB or RGBA in bytes, not premultiplied.
private struct PixbufRows {
    private let first: UnsafePointer<UInt8>
    private let stride: Int
    private let width: Int
    private let channels: Int
    private let hasAlpha: Bool

    init(_ pixbuf: OpaquePointer) {
        first = gdk_pixbuf_read_pixels(pixbuf)
        stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
        width = Int(gdk_pixbuf_get_width(pixbuf))
        channels = Int(gdk_pixbuf_get_n_channels(pixbuf))
        hasAlpha = gdk_pixbuf_get_has_alpha(pixbuf) != 0
    }

    /// Writes a row as premultiplied `0xAARRGGBB`.
    func copyRow(_ y: Int, to row: UnsafeMutablePointer<UInt32>) {
        var pixel = first + y * stride
        for x in 0..<width {
            let alpha = hasAlpha ? UInt32(pixel[3]) : 255
            let red = Self.multiply(pixel[0], alpha)
            let green = Self.multiply(pixel[1], alpha)
            let blue = Self.multiply(pixel[2], alpha)
            row[x] = alpha << 24 | red << 16 | green << 8 | blue
            pixel += channels
        }
    }

    // Rounds to the nearest integer: x/255 is (x + x/256)/256.
    private static func multiply(_ channel: UInt8, _ alpha: UInt32) -> UInt32 {
        let product = UInt32(channel) &* alpha &+ 128
        return (product &+ product >> 8) >> 8
    }
}
