// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A page that explains a session before it begins.
public struct TutorialPage: Sendable, Hashable {
    /// The text of the page.
    public var text: String
    /// The file of its picture (SVG, PNG or JPEG). A session's file gives it relative to its own folder; here the
    /// folder is included.
    public var picture: String?

    /// Creates a page.
    public init(_ text: String, picture: String? = nil) {
        self.text = text
        self.picture = picture
    }
}
