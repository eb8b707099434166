// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A page that explains a session before it begins.
public struct TutorialPage: Sendable, Hashable {
    /// The text of the page.
    public var text: String
    /// The path of its picture's file (SVG, PNG or JPEG). A session's file may name an outline instead, or a path
    /// relative to the folder of that file; here it is resolved.
    public var picture: String?

    /// Creates a page.
    public init(_ text: String, picture: String? = nil) {
        self.text = text
        self.picture = picture
    }
}
