// Part of gst-capture. Apache License 2.0, see LICENSE.

extension [String] {
    /// `a, b or c`.
    package var alternatives: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

extension UInt8 {
    package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    package var isHexadecimalDigit: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20
    }

    /// A letter, a digit, `_` or `-`, in ASCII.
    package var isWordCharacter: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "-")
    }
}

extension String {
    /// The lines, each without its line feed.
    package var lines: [Substring.UTF8View] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}
