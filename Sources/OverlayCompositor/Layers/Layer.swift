// Part of gst-capture. Apache License 2.0, see LICENSE.

/// One thing drawn on the preview.
///
///     let face = Layer("face", .outline(Outline(name: "face", path: "face.svg")))
public struct Layer: Sendable, Hashable {
    /// What is drawn.
    public enum Content: Sendable, Hashable {
        /// A silhouette that the subject lines up with.
        case outline(Outline)
        /// A line of text, or several.
        case text(TextTemplate)
        /// An earlier picture over the whole frame, translucent: onion skin, repeat photography.
        case ghost(path: String)
        /// Lines that help to compose.
        case grid(Grid)
        /// Darkens what lies outside of a closed outline.
        case dim(outside: Outline)
        /// A picture such as a logo, PNG or SVG.
        case image(path: String)
        /// Bars that leave a field of this aspect, width through height.
        case letterbox(aspect: Double)
        /// A filled rectangle with rounded corners of this aspect, width through height: a ground for pictures or text.
        case panel(aspect: Double)
    }

    /// Its name, by which programs and presets speak of it.
    public var name: String
    /// What is drawn.
    public var content: Content
    /// Where, and how large.
    public var placement: Placement
    /// In which colour and so on; what it does not say is taken from the overlay's appearance.
    public var style: Style

    /// Creates a layer.
    public init(_ name: String, _ content: Content, _ placement: Placement = Placement(), _ style: Style = Style()) {
        self.name = name
        self.content = content
        self.placement = placement
        self.style = style
    }
}
