// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// An SVG file (`RsvgHandle`). It is loaded without a base URI, so that it can refer to no other file and no address.
struct Drawing: ~Copyable {
    private let handle: UnsafeMutablePointer<RsvgHandle>
    private let size: (width: Double, height: Double)

    /// - Throws: ``OverlayError`` with `damaged` if the bytes are no SVG, or the drawing has no size.
    init(_ svg: [UInt8]) throws(OverlayError) {
        var failure: UnsafeMutablePointer<GError>?
        guard !svg.isEmpty, let handle = rsvg_handle_new_from_data(svg, gsize(svg.count), &failure) else {
            throw OverlayError(.damaged, "is not a readable SVG", consuming: failure)
        }
        rsvg_handle_set_dpi(handle, 96)
        guard let size = Self.size(of: handle) else {
            g_object_unref(handle)
            throw OverlayError(.damaged, "the drawing has no size", advice: "give its <svg> a viewBox")
        }
        self.handle = handle
        self.size = size
    }

    deinit { g_object_unref(handle) }

    /// Draws the file at the request's position and size.
    func draw(_ style: DrawingStyle, _ request: RasterRequest) throws(OverlayError) -> RasterImage {
        let box = ContentBox(fitting: size, for: request)
        let sheet = StyleSheet(style, scale: box.width / size.width)
        // Lines on the edge of the drawing extend beyond it.
        let area = PixelRectangle(touchedBy: box.grown(by: sheet.overhang), in: request)
        guard !area.isEmpty else { return .empty }
        let canvas = try Canvas(area)
        try render(on: canvas, in: box, sheet, style.area)
        canvas.fade(to: style.color.alpha)
        if style.area == nil { try canvas.drawHalo(width: style.halo, style.haloColor) }
        canvas.fade(to: request.opacity)
        return try canvas.image()
    }

    private func render(
        on canvas: borrowing Canvas, in box: ContentBox, _ sheet: StyleSheet, _ area: DrawingStyle.Area?
    ) throws(OverlayError) {
        var failure: UnsafeMutablePointer<GError>?
        var viewport = RsvgRectangle(x: box.x, y: box.y, width: box.width, height: box.height)
        let css = Array(sheet.css.utf8)
        let element = area?.elements.first { rsvg_handle_has_sub(handle, $0) != 0 }
        guard rsvg_handle_set_stylesheet(handle, css, gsize(css.count), &failure) != 0,
            rsvg_handle_render_layer(handle, canvas.context, element, &viewport, &failure) != 0
        else { throw OverlayError(.tooMuch, "the drawing cannot be drawn", consuming: failure) }
    }

    /// Returns the size in user units: that of the viewBox, or else that of the file; `nil` if it has none.
    private static func size(of handle: UnsafeMutablePointer<RsvgHandle>) -> (width: Double, height: Double)? {
        var hasViewBox: gboolean = 0
        var viewBox = RsvgRectangle()
        rsvg_handle_get_intrinsic_dimensions(handle, nil, nil, nil, nil, &hasViewBox, &viewBox)
        var size = (width: viewBox.width, height: viewBox.height)
        if hasViewBox == 0, rsvg_handle_get_intrinsic_size_in_pixels(handle, &size.width, &size.height) == 0 {
            return nil
        }
        return size.width.isNormal && size.height.isNormal && size.width > 0 && size.height > 0 ? size : nil
    }
}

extension DrawingStyle.Area {
    /// The elements to look for, the best first.
    fileprivate var elements: [String] {
        switch self {
        case .subject: ["#subject"]
        case .crop: ["#crop", "#subject"]
        }
    }
}
