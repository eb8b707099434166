// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A file name with fields: those of strftime(3), `%n` for the sequence number and `%05n` for one with leading zeros.
public struct FileNameTemplate: Sendable, Hashable, CustomStringConvertible {
    enum Part: Sendable, Hashable {
        /// Stands as it is.
        case text(String)
        /// A conversion of strftime(3), such as `%Y`.
        case time(String)
        /// The sequence number, with zeros in front up to this width.
        case sequence(width: Int)
    }

    /// The template as it was written.
    public let description: String
    let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``CaptureError`` of kind `usage` that names the field that is wrong.
    public init(parsing text: String) throws(CaptureError) {
        guard !text.isEmpty, text.utf8.count < 4096, !text.utf8.contains(0) else {
            throw CaptureError(.usage, "is no file name", subject: "output")
        }
        description = text
        parts = try Self.parse(text)
    }

    /// True where each picture has a name of its own by its number.
    public var usesSequence: Bool {
        parts.contains { if case .sequence = $0 { true } else { false } }
    }

    /// The folder that all pictures are in, be it in folders within: what stands before the first field.
    var baseFolder: String {
        guard case .text(let text)? = parts.first else { return "." }
        return StillFolder.path(of: text)
    }

    /// The name of a picture.
    public func render(_ time: WallTime, sequence: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .time(let field): time.formatted(field) ?? ""
            case .sequence(let width): sequence.padded(to: width)
            }
        }.joined()
    }

    /// One more than the highest number that is in use in the folder at this time; 1 where there is none.
    func nextSequence(_ time: WallTime) -> Int {
        let pattern = FileNamePattern(self, time)
        var highest = 0
        DeviceFiles.eachName(in: folder(time)) { highest = max(highest, pattern.number(in: $0) ?? 0) }
        return highest + 1
    }

    /// The folder of a picture at this time.
    func folder(_ time: WallTime) -> String { StillFolder.path(of: render(time, sequence: 0)) }
}
