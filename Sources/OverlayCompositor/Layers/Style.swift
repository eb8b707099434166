// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a layer looks. What is `nil` is taken from the overlay's appearance, and what that does not say from
/// ``standard``.
public struct Style: Sendable, Hashable {
    /// Of lines and text, and of a PNG outline or image where it is to be of one colour.
    public var color: Color?
    /// The width of lines.
    public var stroke: Length?
    /// Of the layer as a whole: 0 is clear, 1 opaque.
    public var opacity: Double?
    /// A font as Pango describes it, without size: `Sans Bold`.
    public var font: String?
    /// The width of the edge around lines and text, which keeps them visible on any ground; 0 for none.
    public var halo: Length?
    /// The colour of that edge.
    public var haloColor: Color?
    /// Behind text; `nil` for nothing.
    public var background: Color?

    /// A style that says nothing.
    public init() {}

    /// What holds where nobody says otherwise: white lines of 1/200 of the frame with a dark edge.
    public static var standard: Style {
        var style = Style()
        style.color = .white
        style.stroke = .fraction(0.005)
        style.opacity = 1
        style.font = "Sans Bold"
        style.halo = .fraction(0.0015)
        style.haloColor = Color(red: 0, green: 0, blue: 0, alpha: 0.45)
        return style
    }

    /// This style, with what it does not say taken from `base`.
    public func merging(over base: Style) -> Style {
        var merged = self
        merged.color = color ?? base.color
        merged.stroke = stroke ?? base.stroke
        merged.opacity = opacity ?? base.opacity
        merged.font = font ?? base.font
        merged.halo = halo ?? base.halo
        merged.haloColor = haloColor ?? base.haloColor
        merged.background = background ?? base.background
        return merged
    }
}
