// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Reads the fixed-size character arrays of the kernel's structures.
package enum FixedText {
    /// Returns the text of a `char[n]`, which Swift imports as a tuple: up to the first NUL, or to the end.
    package static func read<Characters: BitwiseCopyable>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { clean($0.prefix { $0 != 0 }) }
    }

    /// Returns text for one line of a terminal: replaces broken UTF-8, and puts spaces in place of control characters.
    package static func clean(_ bytes: some Sequence<UInt8>) -> String {
        trimmed(String(decoding: Array(bytes), as: UTF8.self).withoutControls)
    }

    /// Returns the text without whitespace at both ends.
    package static func trimmed(_ text: String) -> String {
        let rest = text.drop { $0.isWhitespace }
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
