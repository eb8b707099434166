// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A silhouette that helps the subject line up: its name and its drawing.
public struct Outline: Sendable, Hashable {
    /// The name that presets and options use.
    public let name: String
    /// The path of the file: SVG, or PNG with alpha.
    public let path: String

    /// Creates an outline from its name and the path of its drawing.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}
