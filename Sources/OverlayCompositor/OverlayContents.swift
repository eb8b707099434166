// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Everything that decides how an overlay looks, except the frames and the time.
public struct OverlayContents: Sendable, Hashable {
    /// The layers, from bottom to top. Ghosts, dims and letterboxes are always below all others.
    public var layers: [Layer]
    /// The style for properties that a layer leaves `nil`.
    public var appearance: Style
    /// The values of placeholders in texts, by name.
    public var values: [String: String]
    /// `true` if the frames are mirrored. Ghosts, which are earlier pictures of a camera, are then mirrored, too.
    public var isMirrored: Bool

    /// Creates contents.
    public init(
        _ layers: [Layer] = [], appearance: Style = Style(), values: [String: String] = [:], isMirrored: Bool = false
    ) {
        self.layers = layers
        self.appearance = appearance
        self.values = values
        self.isMirrored = isMirrored
    }

    /// `true` if a text shows the time, so that the overlay changes by itself.
    var showsTime: Bool {
        layers.contains { if case .text(let template) = $0.content { template.showsTime } else { false } }
    }
}

/// An event of the layers of an ``Overlay``.
public enum OverlayEvent: Sendable {
    /// Frames from now on show the contents of the last call before this event, except layers that failed.
    case drawn
    /// A layer cannot be drawn. Frames show the other layers, and the previous drawing of this one. The name is empty
    /// if nothing can be drawn on the stream, for example if its caps are not raw video or its frames cannot be mapped;
    /// no ``drawn`` follows such an event.
    case failed(layer: String, OverlayError)
}
