// Part of gst-capture. Apache License 2.0, see LICENSE.

/// All that decides what an overlay looks like, but for the frames and the time.
public struct OverlayContents: Sendable, Hashable {
    /// The layers, from bottom to top; ghosts, and what darkens or covers, are under all others anyway.
    public var layers: [Layer]
    /// How layers look where they do not say it themselves.
    public var appearance: Style
    /// What placeholders in texts stand for.
    public var values: [String: String]
    /// True where the frames are as in a mirror: earlier pictures, which cameras took, then are, too.
    public var isMirrored: Bool

    /// Puts layers together.
    public init(
        _ layers: [Layer] = [], appearance: Style = Style(), values: [String: String] = [:], isMirrored: Bool = false
    ) {
        self.layers = layers
        self.appearance = appearance
        self.values = values
        self.isMirrored = isMirrored
    }

    /// True where it changes by itself.
    var showsTime: Bool {
        layers.contains { if case .text(let template) = $0.content { template.showsTime } else { false } }
    }
}
