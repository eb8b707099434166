// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a rasteriser is asked to draw: one layer, resolved to pixels of one frame size.
public struct RasterRequest: Sendable, Hashable {
    /// What is drawn.
    public enum Content: Sendable, Hashable {
        /// An SVG file's bytes. It keeps its proportions.
        case drawing(svg: [UInt8], DrawingStyle)
        /// Text, with line breaks; it wraps at ``RasterRequest/extent``.
        case text(String, TextStyle)
        /// A PNG or JPEG file's bytes, turned as its orientation says. Where there is a tint, its alpha is a mask for
        /// that colour.
        case picture([UInt8], tint: Color?)
    }

    /// How content is scaled to its extent.
    public enum Fit: UInt8, Sendable, Hashable {
        /// As large as fits into it.
        case contain
        /// As small as covers it.
        case cover
    }

    /// What is drawn.
    public var content: Content
    /// The frame's width in pixels; nothing is drawn outside of it.
    public var width: Int
    /// The frame's height in pixels.
    public var height: Int
    /// Where the content's anchor lies, in pixels from the frame's left edge.
    public var pointX: Double
    /// The same, from its top edge.
    public var pointY: Double
    /// The point of the content that lies there.
    public var anchor: UnitPoint
    /// The width that content is scaled to, or that text wraps at, in pixels.
    public var extentWidth: Double
    /// The height that content is scaled to.
    public var extentHeight: Double
    /// How it is scaled.
    public var fit: Fit
    /// Of all that is drawn: 0...1.
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
    /// The same on a larger or smaller frame; widths of lines stay.
    func scaled(by scale: Double) -> RasterRequest {
        var scaled = self
        // More pixels than any rasteriser draws, and fewer than overflow.
        scaled.width = (Double(width) * scale).roundedUp(limit: 1 << 30)
        scaled.height = (Double(height) * scale).roundedUp(limit: 1 << 30)
        (scaled.pointX, scaled.pointY) = (pointX * scale, pointY * scale)
        (scaled.extentWidth, scaled.extentHeight) = (extentWidth * scale, extentHeight * scale)
        return scaled
    }
}

/// How a drawing is drawn. An outline's SVG is made for it: its lines have `stroke="currentColor"` and widths in `em`,
/// where 1 em is the width asked for; its closed shape has the id `subject`, and what a crop keeps the id `crop`, where
/// that is another.
public struct DrawingStyle: Sendable, Hashable {
    /// A shape that is filled, as a mask; no lines are drawn. Where the drawing has no element of that id, it is all of it.
    public enum Area: UInt32, Sendable, Hashable, CaseIterable {
        /// The element with the id `subject`.
        case subject
        /// The element with the id `crop`, or else `subject`.
        case crop
    }

    /// What is filled; `nil` to draw lines.
    public var area: Area?
    /// The colour of what is drawn in `currentColor`; of an area.
    public var color: Color
    /// 1 em, in pixels.
    public var stroke: Double
    /// The width of the edge on each side of the lines, in pixels; 0 for none.
    public var halo: Double
    /// The colour of that edge.
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
    /// As Pango describes it, without size: `Sans Bold`.
    public var font: String
    /// The height of a line, in pixels.
    public var lineHeight: Double
    /// The colour of the letters.
    public var color: Color
    /// The width of the edge around letters, in pixels; 0 for none.
    public var halo: Double
    /// The colour of that edge.
    public var haloColor: Color
    /// Behind the text, with a little room around it; `nil` for nothing.
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
