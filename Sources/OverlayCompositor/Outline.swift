// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An outline on the preview that helps the subject line up: its name and its drawing.
///
/// The compositor that draws it comes with the preview; the library already finds and checks outlines by name.
public struct Outline: Sendable, Hashable {
    /// The name that presets and options use.
    public let name: String
    /// The SVG file.
    public let path: String

    /// Names a drawing.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}
