// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A page that explains a session before it begins.
public struct TutorialPage: Sendable, Hashable {
    /// What it says.
    public var text: String
    /// The file of its picture (SVG, PNG or JPEG). In a session's file it is a path that starts from the folder of that
    /// file; here it is whole.
    public var picture: String?

    /// Creates a page.
    public init(_ text: String, picture: String? = nil) {
        self.text = text
        self.picture = picture
    }
}
