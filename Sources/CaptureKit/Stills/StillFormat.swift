// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a still is encoded.
public enum StillFormat: String, CaseIterable, Sendable {
    /// JPEG (JFIF and EXIF).
    case jpeg
    /// PNG, without loss.
    case png
    /// WebP.
    case webp
    /// The pixels as they are, with a side file that describes them.
    case raw

    /// The ending of file names, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The format that a file name asks for by its ending; `nil` for an ending that says nothing.
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
