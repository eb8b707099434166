// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Reads and writes the text of elements and attributes. The only references are those to characters and to the five
/// entities of XML.
enum XMLText {
    /// Checks that the file is UTF-8 with characters that XML permits.
    static func checkEncoding(_ bytes: [UInt8]) throws(XMLFault) {
        // A byte order mark of UTF-16 or UTF-32, or a NUL beside the first <.
        let isWide =
            bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(2).contains(0)
        if isWide && bytes.count > 1 { throw .unsupported("is UTF-16, not UTF-8", advice: "save it as UTF-8") }
        if let place = bytes.firstIndex(where: { $0 < 0x20 && !$0.isXMLSpace }) {
            throw .damaged(bytes[place] == 0 ? "contains a NUL" : "contains a control character", at: place)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .damaged("is not UTF-8") }
        // U+FFFE and U+FFFF are the other characters that XML lacks.
        for mark in ["\u{FFFE}", "\u{FFFF}"] {
            if let place = bytes.offset(of: mark, from: 0) { throw .damaged("contains a noncharacter", at: place) }
        }
    }

    /// Returns the text in well-formed bytes, without comments, processing instructions and tags.
    static func decoded(_ bytes: [UInt8], _ range: Range<Int>) -> String {
        var text: [UInt8] = []
        var position = range.lowerBound
        while position < range.upperBound {
            switch bytes[position] {
            case UInt8(ascii: "&"):
                guard let reference = reference(bytes, at: position) else { return "" }
                text += String(reference.scalar).utf8
                position = reference.end
            case UInt8(ascii: "<"):
                let marks = [cdata, ("<!--", "-->"), ("<?", "?>")].first { bytes.has($0.start, at: position) }
                let (start, end) = marks ?? ("<", ">")
                let inside = position + start.utf8.count
                guard let found = bytes.offset(of: end, from: inside) else { return "" }
                if start == cdata.start { text += bytes[inside..<found] }
                position = found + end.utf8.count
            case let byte:
                text.append(byte)
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The marks around text without references.
    static let cdata = (start: "<![CDATA[", end: "]]>")

    /// Returns the text as content of an element. The sign > is escaped too, because a text cannot contain `]]>`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the character of the reference that begins at an offset, and the offset after it; `nil` if there is no
    /// valid reference.
    static func reference(_ bytes: [UInt8], at start: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        // The longest useful reference is &#x0010FFFF; with a few more zeros.
        let rest = bytes[start...].prefix(16)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: rest[(start + 1)..<end], as: UTF8.self)
        if let scalar = entities[name] { return (scalar, end + 1) }
        let radix = name.hasPrefix("#x") ? 16 : 10
        let digits = name.dropFirst(radix == 16 ? 2 : 1)
        // Swift's initializer would also accept a sign.
        let isNumber = digits.utf8.allSatisfy { radix == 16 ? $0.isHexadecimalDigit : $0.isDigit }
        guard name.hasPrefix("#"), isNumber, let number = UInt32(digits, radix: radix),
            let scalar = Unicode.Scalar(number), isCharacter(scalar)
        else { return nil }
        return (scalar, end + 1)
    }

    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    /// Returns `true` if XML 1.0 permits the character (production 2, Char).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }
}

extension [UInt8] {
    /// Returns the offset of the first occurrence of a text; `nil` if there is none.
    func offset(of text: String, from start: Int) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var position = start
        while position < count {
            let distance = withUnsafeBytes { bytes -> Int? in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                guard let base = rest.baseAddress, let found = memchr(base, Int32(first), rest.count) else {
                    return nil
                }
                return base.distance(to: found)
            }
            guard let distance else { return nil }
            if has(text, at: position + distance) { return position + distance }
            position += distance + 1
        }
        return nil
    }

    /// Returns `true` if the bytes at an offset begin with a text.
    func has(_ text: String, at start: Int) -> Bool {
        var position = start
        for byte in text.utf8 {
            guard position < count, self[position] == byte else { return false }
            position += 1
        }
        return true
    }
}

extension UInt8 {
    /// Whitespace of XML: space, tab, CR and LF.
    var isXMLSpace: Bool { self == 0x20 || self == 0x9 || self == 0xA || self == 0xD }
}
