// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Reads the fixed-size character arrays of the kernel's structures.
enum FixedText {
    /// The text of a `char[n]`, which Swift sees as a tuple: up to the first NUL or the end, whichever comes first.
    static func read<Characters: BitwiseCopyable>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { clean($0.prefix { $0 != 0 }) }
    }

    /// Makes a text that is fit for one line of a terminal: broken UTF-8 replaced, control characters blanked.
    static func clean(_ bytes: some Sequence<UInt8>) -> String {
        trimmed(String(decoding: Array(bytes), as: UTF8.self).withoutControls)
    }

    /// Without blanks at both ends.
    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
