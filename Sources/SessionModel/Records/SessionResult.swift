// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A file that a session makes of its accepted pictures.
public enum SessionResult: String, Sendable, Hashable, CaseIterable {
    /// Up to 8 pictures, one below another.
    case strip
    /// Up to 100 pictures side by side.
    case contactSheet = "contact-sheet"

    /// The name of the file.
    public var fileName: String { rawValue + ".jpg" }
}
