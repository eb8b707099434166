// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Structure {
    /// `true` if `gst_structure_validate_name` accepts the name. GStreamer reports any other name as a critical, not as
    /// an error.
    static func isName(_ name: some Sequence<UInt8>) -> Bool {
        var isFirst = true
        for byte in name {
            guard byte.isLetter || (!isFirst && (byte.isDigit || "/-_.:+".utf8.contains(byte))) else { return false }
            isFirst = false
        }
        return !isFirst
    }

    /// `true` if all caps or structures in the text, separated by `;` in GStreamer's notation, begin with a name.
    static func areNamed(in text: String) -> Bool {
        let names = names(in: text)
        return !names.isEmpty && names.allSatisfy { isName($0) }
    }

    /// The text before the first blank, comma or opening parenthesis of each alternative.
    private static func names(in text: String) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var (name, isInName, isQuoted, isEscaped): ([UInt8], Bool, Bool, Bool) = ([], true, false, false)
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                if !name.isEmpty { names.append(name) }
                (name, isInName) = ([], true)
            } else if isInName {
                if !byte.endsName { name.append(byte) } else if !name.isEmpty || !byte.isBlank { isInName = false }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else {
                isEscaped = byte == UInt8(ascii: "\\")
            }
        }
        return name.isEmpty ? names : names + [name]
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isBlank: Bool { " \t\n\r\u{B}\u{C}".utf8.contains(self) }
    fileprivate var endsName: Bool { isBlank || ",(".utf8.contains(self) }
}
