// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The encoding of a still.
public enum StillFormat: String, CaseIterable, Sendable {
    /// JPEG (JFIF and EXIF).
    case jpeg
    /// PNG, lossless.
    case png
    /// WebP.
    case webp
    /// Unencoded pixels, with a side file that describes them.
    case raw

    /// The extension of file names, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Creates the format that a file name's extension selects; returns `nil` for other extensions.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "jpg", "jpeg", "jpe": self = .jpeg
        case "png": self = .png
        case "webp": self = .webp
        case "raw": self = .raw
        default: return nil
        }
    }
}
