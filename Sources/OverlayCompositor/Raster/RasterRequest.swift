// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A request to a ``Rasterizer``: one layer, resolved to pixels of one frame size.
public struct RasterRequest: Sendable, Hashable {
    /// The content to draw.
    public enum Content: Sendable, Hashable {
        /// The bytes of an SVG file. The drawing keeps its proportions.
        case drawing(svg: [UInt8], DrawingStyle)
        /// Text with line breaks. It wraps at ``RasterRequest/extentWidth``.
        case text(String, TextStyle)
        /// The bytes of a PNG or JPEG file, turned upright according to its orientation. If there is a tint, the
        /// picture's alpha is a mask for that color.
        case picture([UInt8], tint: Color?)
    }

    /// How content is scaled to its extent.
    public enum Fit: UInt8, Sendable, Hashable {
        /// As large as fits into the extent.
        case contain
        /// As small as covers the extent.
        case cover
    }

    /// The content to draw.
    public var content: Content
    /// The frame's width in pixels; nothing is drawn outside the frame.
    public var width: Int
    /// The frame's height in pixels.
    public var height: Int
    /// The distance of the content's anchor from the frame's left edge, in pixels.
    public var pointX: Double
    /// The distance of the content's anchor from the frame's top edge, in pixels.
    public var pointY: Double
    /// The point of the content that lies at (``pointX``, ``pointY``).
    public var anchor: UnitPoint
    /// The width that content is scaled to, or that text wraps at, in pixels.
    public var extentWidth: Double
    /// The height that content is scaled to, in pixels.
    public var extentHeight: Double
    /// How content is scaled to the extent.
    public var fit: Fit
    /// The opacity of the whole drawing, in 0...1.
    public var opacity: Double

    /// Creates a request.
    public init(
        _ content: Content, width: Int, height: Int, point: (x: Double, y: Double), anchor: UnitPoint,
        extent: (width: Double, height: Double), fit: Fit = .contain, opacity: Double = 1
    ) {
        self.content = content
        self.width = width
        self.height = height
        (pointX, pointY) = point
        self.anchor = anchor
        (extentWidth, extentHeight) = extent
        self.fit = fit
        self.opacity = opacity
    }
}

extension RasterRequest {
    /// Returns the same request on a larger or smaller frame. The widths of lines and the height of text do not change.
    func scaled(by scale: Double) -> RasterRequest {
        var scaled = self
        // More pixels than any rasterizer draws, and few enough not to overflow.
        scaled.width = (Double(width) * scale).roundedUp(limit: 1 << 30)
        scaled.height = (Double(height) * scale).roundedUp(limit: 1 << 30)
        (scaled.pointX, scaled.pointY) = (pointX * scale, pointY * scale)
        (scaled.extentWidth, scaled.extentHeight) = (extentWidth * scale, extentHeight * scale)
        return scaled
    }
}

/// How a drawing is drawn. SVG outlines are made for it: their lines have `stroke="currentColor"` and widths in `em`,
/// and 1 em is the requested width. Their closed shape has the id `subject`. If a crop keeps another shape, that has
/// the id `crop`.
public struct DrawingStyle: Sendable, Hashable {
    /// A shape that is filled, as a mask; no lines are drawn. If the drawing has no element with the id, the shape is
    /// the whole drawing.
    public enum Area: UInt32, Sendable, Hashable, CaseIterable {
        /// The element with the id `subject`.
        case subject
        /// The element with the id `crop`, or else `subject`.
        case crop
    }

    /// The shape to fill; `nil` to draw lines.
    public var area: Area?
    /// The color of `currentColor`, or of the area.
    public var color: Color
    /// The width of 1 em, in pixels.
    public var stroke: Double
    /// The width of the halo on each side of the lines, in pixels; 0 for none.
    public var halo: Double
    /// The color of the halo.
    public var haloColor: Color

    /// Creates a style.
    public init(area: Area? = nil, color: Color, stroke: Double, halo: Double = 0, haloColor: Color = .black) {
        self.area = area
        self.color = color
        self.stroke = stroke
        self.halo = halo
        self.haloColor = haloColor
    }
}

/// How text is drawn.
public struct TextStyle: Sendable, Hashable {
    /// The font in Pango's notation, without size: `Sans Bold`.
    public var font: String
    /// The height of a line, in pixels.
    public var lineHeight: Double
    /// The color of the letters.
    public var color: Color
    /// The width of the halo around letters, in pixels; 0 for none.
    public var halo: Double
    /// The color of the halo.
    public var haloColor: Color
    /// The color behind the text, with a small padding around it; `nil` for none.
    public var background: Color?

    /// Creates a style.
    public init(
        font: String, lineHeight: Double, color: Color, halo: Double = 0, haloColor: Color = .black,
        background: Color? = nil
    ) {
        self.font = font
        self.lineHeight = lineHeight
        self.color = color
        self.halo = halo
        self.haloColor = haloColor
        self.background = background
    }
}
