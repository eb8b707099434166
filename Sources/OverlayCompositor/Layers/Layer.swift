// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An item that is drawn on frames.
///
///     let face = Layer("face", .outline(Outline(name: "face", path: "face.svg")))
public struct Layer: Sendable, Hashable {
    /// The content of a layer.
    public enum Content: Sendable, Hashable {
        /// A silhouette that the subject lines up with.
        case outline(Outline)
        /// Text of one or more lines.
        case text(TextTemplate)
        /// A translucent earlier picture over the whole frame: onion skin, repeat photography.
        case ghost(path: String)
        /// Lines that help to compose a picture.
        case grid(Grid)
        /// Covers the frame outside a closed outline with a translucent color, black by default.
        case dim(outside: Outline)
        /// A picture such as a logo: SVG, PNG or JPEG.
        case image(path: String)
        /// Bars that leave a field of this aspect ratio (width divided by height).
        case letterbox(aspect: Double)
        /// A filled rectangle with rounded corners, of this aspect ratio (width divided by height): a background for
        /// pictures or text.
        case panel(aspect: Double)
    }

    /// The name that programs and presets use for the layer.
    public var name: String
    /// The content to draw.
    public var content: Content
    /// The position and the size.
    public var placement: Placement
    /// The color, the line width and so on.
    public var style: Style

    /// Creates a layer.
    public init(_ name: String, _ content: Content, _ placement: Placement = Placement(), _ style: Style = Style()) {
        self.name = name
        self.content = content
        self.placement = placement
        self.style = style
    }
}
