// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A file name with fields: those of strftime(3) for the time of the slot, `%n` for the sequence number and `%05n` for
/// one with leading zeros.
public struct FileNameTemplate: Sendable, Hashable, CustomStringConvertible {
    package enum Part: Sendable, Hashable {
        /// Literal text.
        case text(String)
        /// A conversion of strftime(3), such as `%Y`.
        case time(String)
        /// The sequence number, with leading zeros up to this width.
        case sequence(width: Int)
    }

    /// The text of the template.
    public let description: String
    package let parts: [Part]

    /// Parses a template.
    ///
    /// - Throws: `CaptureError` of kind `usage` that names the invalid field.
    public init(parsing text: String) throws(CaptureError) {
        guard !text.isEmpty, text.utf8.count < 4096, !text.utf8.contains(0) else {
            throw CaptureError(.usage, "is not a file name", subject: "output")
        }
        description = text
        parts = try Self.parse(text)
    }

    /// Creates a template without fields, whose only name is the path.
    package init(verbatim path: String) { (description, parts) = (path, [.text(path)]) }

    /// `true` if each picture has its sequence number in its name, or in that of a folder.
    public var usesSequence: Bool {
        parts.contains { if case .sequence = $0 { true } else { false } }
    }

    /// The folder that contains all pictures, directly or in subfolders: the folder before the first field.
    package var baseFolder: String {
        guard case .text(let text)? = parts.first else { return "." }
        return StillFolder.path(of: text)
    }

    /// Returns the name of a picture.
    public func render(_ time: WallTime, sequence: Int) -> String { Self.render(parts[...], time, sequence) }

    private static func render(_ parts: ArraySlice<Part>, _ time: WallTime, _ sequence: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .time(let field): time.formatted(field) ?? ""
            case .sequence(let width): sequence.padded(to: width)
            }
        }.joined()
    }

    /// Returns the number after the highest one of a picture in the folder at this time; 1 if no picture has a number.
    /// Blocks: it reads the whole folder, and folders whose names have a higher number than those before.
    package func nextSequence(_ time: WallTime) -> Int { FileNamePattern(self, time).highestNumber() + 1 }

    /// Returns the folder of the names that the number makes different, at this time: those of pictures, or of folders
    /// if the number comes before a slash.
    package func folder(_ time: WallTime) -> String {
        let numbered = parts.firstIndex { if case .sequence = $0 { true } else { false } }
        return StillFolder.path(of: Self.render(parts[..<(numbered ?? parts.endIndex)], time, 0))
    }
}
