// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// Makes text for messages from bytes that may contain anything, such as those of drivers and files.
package enum FixedText {
    /// Returns the text of a `char[n]`, which Swift imports as a tuple: up to the first NUL, or to the end.
    package static func read<Characters: BitwiseCopyable>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { clean($0.prefix { $0 != 0 }) }
    }

    /// Returns text for one line of a terminal: replaces invalid UTF-8 by U+FFFD and control characters by spaces, and
    /// removes whitespace at both ends.
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

extension BinaryInteger {
    /// Returns the digits, with leading zeros if there are fewer than `width`.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Double {
    /// Parses a decimal number of at most 32 characters; `nil` for other text. Swift's own initializer also accepts
    /// hexadecimal numbers, infinity and others.
    package init?(decimal text: String) {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        self = number
    }

    private static let decimalCharacters = Set("0123456789+-.eE".utf8)
}
