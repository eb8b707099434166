// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The text of a preset, after checking that it costs little to read as YAML.
///
/// A YAML parser is recursive, and an alias stands for a whole tree: a few bytes can exhaust the stack or the machine.
/// These bounds are generous for settings. They are counted without parsing YAML, and the counts are never too low.
package struct SettingsText {
    package let text: String

    /// The largest file, in bytes.
    package static let mostBytes = 65536
    /// The maximum number of opening brackets and braces, which bounds how deep they nest.
    private static let mostBrackets = 128
    /// The maximum indentation of a line, in columns, which bounds how deep blocks nest.
    private static let mostIndentation = 64
    /// The maximum number of aliases. Nested, this many stand for a few hundred copies of a tree; `YAMLParser` bounds
    /// the values.
    private static let mostAliases = 16

    /// Checks the bytes of a file, with or without a byte order mark.
    ///
    /// - Parameter kind: The kind of file, in messages.
    package init(_ bytes: [UInt8], of kind: String = "preset") throws(InvalidValue) {
        guard bytes.count <= Self.mostBytes else {
            throw InvalidValue("is larger than \(Self.mostBytes / 1024) KiB, the limit of a \(kind)")
        }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.brokenUTF8(bytes) }
        self.text = text
        try checkLineBreaks()
        try checkBounds(of: kind)
    }

    /// Checks that lines end with LF or CR LF. YAML knows more line breaks, but editors count lines by these.
    private func checkLineBreaks() throws(InvalidValue) {
        for (number, line) in text.lines.enumerated() {
            let inner = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let scalars = Substring(inner).unicodeScalars
            if let index = scalars.firstIndex(where: { "\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0) }) {
                let column = scalars.distance(from: scalars.startIndex, to: index) + 1
                throw InvalidValue(
                    "has a line break other than LF or CR LF", at: TextPlace(line: number + 1, column: column))
            }
        }
    }

    private func checkBounds(of kind: String) throws(InvalidValue) {
        var (brackets, aliases) = (0, 0)
        for (number, line) in text.lines.enumerated() {
            if line.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "#") { continue }
            brackets += line.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
            aliases += zip(line, line.dropFirst()).count { $0 == UInt8(ascii: "*") && $1.isWordCharacter }
            let indentation = line.prefix { Self.indentation.contains($0) }.count
            let excesses = [
                (indentation > Self.mostIndentation, "is indented deeper"),
                (brackets > Self.mostBrackets, "has more brackets"), (aliases > Self.mostAliases, "has more aliases"),
            ]
            for (isExcess, excess) in excesses where isExcess {
                throw InvalidValue("\(excess) than a \(kind) allows", at: TextPlace(line: number + 1, column: 1))
            }
        }
    }

    /// The bytes that a block of YAML begins with: each level takes at least one of them.
    private static let indentation = Array(" \t-?:".utf8)

    /// Returns the first comment that contains a letter; empty if there is none.
    package static func firstComment(_ text: String) -> String {
        for bytes in text.lines where bytes.first == UInt8(ascii: "#") {
            let line = FixedText.clean(bytes.drop { $0 == UInt8(ascii: "#") })
            if line.contains(where: \.isLetter) { return line }
        }
        return ""
    }

    private static func brokenUTF8(_ bytes: ArraySlice<UInt8>) -> InvalidValue {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let broken = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        let scalars = String(decoding: lines[broken], as: UTF8.self).unicodeScalars
        let column = scalars.prefix { $0 != "\u{FFFD}" }.count
        return InvalidValue("is not UTF-8 text", at: TextPlace(line: broken + 1, column: column + 1))
    }
}
