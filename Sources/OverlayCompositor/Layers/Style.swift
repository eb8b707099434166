// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The look of a layer. The overlay's appearance fills in properties that are `nil`; ``standard`` fills in those that
/// the appearance leaves `nil`, too.
///
/// Ghosts, dims, letterboxes and panels ignore the appearance, and have their own defaults for color and opacity. A
/// ghost has no color.
public struct Style: Sendable, Hashable {
    /// The color of lines and text, of an outline that is a PNG, and of dims, letterboxes and panels. A PNG or JPEG
    /// image is drawn in one color only if its layer sets this property; the appearance's color does not count.
    public var color: Color?
    /// The width of lines. The lines of a ``Grid`` have 0.4 times this width.
    public var stroke: Length?
    /// The opacity of the whole layer: 0 is transparent, 1 opaque.
    public var opacity: Double?
    /// A font in Pango's notation, without size: `Sans Bold`.
    public var font: String?
    /// The width of the halo: an edge around lines and text that keeps them visible on any background. 0 for none.
    public var halo: Length?
    /// The color of the halo.
    public var haloColor: Color?
    /// The color behind text; `nil` for none.
    public var background: Color?

    /// Creates a style whose properties are all `nil`.
    public init() {}

    /// The default style: white lines of 1/200 of the frame's shorter side, with a dark halo.
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

    /// Returns this style, with the properties that are `nil` taken from `base`.
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
