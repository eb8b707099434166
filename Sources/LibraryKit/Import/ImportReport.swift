// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The result of an import.
public struct ImportReport: Sendable, Hashable {
    /// The IDs of the pictures that were imported, in the order of their paths.
    public var imported: [ItemID] = []
    /// Their bytes.
    public var byteCount = 0
    /// The number of pictures that the library had already.
    public var knownCount = 0
    /// The number of pictures that are in the trash of the library. They stay there.
    public var deletedCount = 0
    /// The number of other files, which are not copied, by kind.
    public var left: [SourceFileKind: Int] = [:]
    /// The errors of pictures that could not be imported.
    public var faults: [CaptureError] = []
    /// `true` if the source went away, such as a card that was pulled: further files were not read.
    public var isCut = false
    /// The number of pictures that were not read because the source went away, or the import was canceled.
    public var restCount = 0

    /// The report in a line: `412 imported (1.2 GB), 38 known, 12 left (8 HEIC, 4 movies), 1 unreadable`.
    public var words: String {
        var parts = ["\(imported.count) imported" + (byteCount > 0 ? " (\(ByteSize.text(byteCount)))" : "")]
        if knownCount > 0 { parts.append("\(knownCount) known") }
        if deletedCount > 0 { parts.append("\(deletedCount) in the trash") }
        if !left.isEmpty {
            let kinds = left.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
            parts.append("\(left.values.reduce(0, +)) left (\(kinds.joined(separator: ", ")))")
        }
        if !faults.isEmpty { parts.append("\(faults.count) unreadable") }
        if restCount > 0 { parts.append("\(restCount) not read") }
        return parts.joined(separator: ", ")
    }
}

/// A kind of file on a card, by its name.
public enum SourceFileKind: String, Sendable, Hashable, CaseIterable {
    /// JPEG, PNG and MP4.
    case picture
    /// High Efficiency Image File Format.
    case heic = "HEIC"
    /// Raw data of a camera's sensor.
    case raw = "RAW"
    /// Movies of other formats than MP4.
    case movie = "movies"
    /// Other kinds of pictures, such as WebP and TIFF.
    case otherPicture = "other pictures"
    /// All other files.
    case other = "other files"

    init(fileName: String) {
        let name = fileName.lowercased()
        let end = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[name.utf8.index(after: $0)...]) } ?? ""
        self =
            switch end {
            case "jpg", "jpeg", "jpe", "png", "mp4": .picture
            case "heic", "heif", "hif", "avif": .heic
            case "cr2", "cr3", "crw", "nef", "nrw", "arw", "srf", "sr2", "dng", "orf", "rw2", "raf", "pef", "srw",
                "3fr", "raw":
                .raw
            case "mov", "avi", "mts", "m2ts", "3gp", "mkv", "mpg", "mpeg", "m4v": .movie
            case "webp", "tif", "tiff", "gif", "bmp", "jxl", "jp2": .otherPicture
            default: .other
            }
    }
}
#endif
