// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// Text broken into lines (`PangoLayout`).
struct TextLayout: ~Copyable {
    /// The layout, valid while this value exists.
    let pointer: OpaquePointer
    /// The logical box: all lines in their full height, from the layout's origin, in pixels.
    let box: (x: Double, y: Double, width: Double, height: Double)
    /// The edges of the ink, from the top left corner of the logical box, in pixels.
    let ink: (left: Double, top: Double, right: Double, bottom: Double)

    init(_ text: String, _ style: TextStyle, _ request: RasterRequest) {
        let context = Self.makeContext()
        defer { g_object_unref(context.map { UnsafeMutableRawPointer($0) }) }
        pointer = pango_layout_new(context)
        let font = Self.font(style, in: context)
        pango_layout_set_font_description(pointer, font)
        pango_font_description_free(font)
        pango_layout_set_text(pointer, text, Int32(text.utf8.count))
        pango_layout_set_width(pointer, Self.units(max(1, request.extentWidth)))
        pango_layout_set_wrap(pointer, PANGO_WRAP_WORD_CHAR)
        pango_layout_set_alignment(pointer, Self.alignment(request.anchor.x))
        Self.setLineHeight(style.lineHeight, of: pointer)

        var (inked, logical) = (PangoRectangle(), PangoRectangle())
        pango_layout_get_extents(pointer, &inked, &logical)
        let (logicalBox, inkedBox) = (Self.pixels(logical), Self.pixels(inked))
        box = logicalBox
        let (left, top) = (inkedBox.x - logicalBox.x, inkedBox.y - logicalBox.y)
        ink = (left, top, left + inkedBox.width, top + inkedBox.height)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    // Frames are scaled, turned and filmed: letters get no color fringes, and are not moved to whole pixels.
    private static func makeContext() -> OpaquePointer? {
        let context = pango_font_map_create_context(pango_cairo_font_map_get_default())
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        return context
    }

    /// Returns the font at the size at which ascent and descent fill a line.
    private static func font(_ style: TextStyle, in context: OpaquePointer?) -> OpaquePointer? {
        let font = pango_font_description_from_string(style.font)
        let line = Double(units(style.lineHeight))
        pango_font_description_set_absolute_size(font, line)
        let metrics = pango_context_get_metrics(context, font, nil)
        defer { pango_font_metrics_unref(metrics) }
        let height = Double(pango_font_metrics_get_ascent(metrics) + pango_font_metrics_get_descent(metrics))
        if height > 0 { pango_font_description_set_absolute_size(font, line * line / height) }
        return font
    }

    // Fixes the line height, so that letters from a fallback font, as for a language that the font lacks, make no line
    // higher.
    private static func setLineHeight(_ height: Double, of layout: OpaquePointer) {
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_line_height_new_absolute(units(height)))
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
    }

    private static func alignment(_ anchor: Double) -> PangoAlignment {
        switch anchor {
        case ..<0.34: PANGO_ALIGN_LEFT
        case 0.66...: PANGO_ALIGN_RIGHT
        default: PANGO_ALIGN_CENTER
        }
    }

    private static func units(_ pixels: Double) -> Int32 {
        Int32(min(pixels, Double(RasterLimits.frameSide)) * Double(PANGO_SCALE))
    }

    private static func pixels(_ box: PangoRectangle) -> (x: Double, y: Double, width: Double, height: Double) {
        let scale = Double(PANGO_SCALE)
        return (Double(box.x) / scale, Double(box.y) / scale, Double(box.width) / scale, Double(box.height) / scale)
    }
}
