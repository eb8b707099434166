// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// Finds elements in an answer of an S3 store.
///
/// This is no XML parser: it knows neither attributes nor namespaces, expands no entities but the five of XML, and
/// reads each byte a few times for each name. A text that is not XML has no elements.
struct XMLText {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Returns the contents of the elements of a name, in order. Elements of the same name must not be nested.
    func elements(_ name: String) -> [XMLText] {
        let (start, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
        var (found, rest) = ([XMLText](), bytes)
        while let first = rest.firstRange(of: start) {
            rest = rest[first.upperBound...]
            guard let last = rest.firstRange(of: end) else { break }
            found.append(XMLText(rest[..<last.lowerBound]))
            rest = rest[last.upperBound...]
        }
        return found
    }

    /// Returns the text of the first element of a name; `nil` if there is none, or its content is not a short text.
    func text(_ name: String) -> String? { elements(name).first?.text }

    /// The content without entities; `nil` if it contains elements, or more than 1024 bytes.
    private var text: String? {
        guard bytes.count <= 1024, !bytes.contains(UInt8(ascii: "<")) else { return nil }
        let pieces = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        var text = Array(pieces.first ?? [])
        for piece in pieces.dropFirst() {
            guard let end = piece.firstIndex(of: UInt8(ascii: ";")),
                let character = Self.entities[String(decoding: piece[..<end], as: UTF8.self)]
            else { return nil }
            text += [character] + piece[piece.index(after: end)...]
        }
        return String(validating: text, as: UTF8.self)?.withoutControls
    }

    private static let entities: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"), "#34": UInt8(ascii: "\""), "#39": UInt8(ascii: "'"),
    ]

    /// Returns a text with entities in place of the characters of XML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first place of some bytes, whose first byte is `<`.
    fileprivate func firstRange(of needle: [UInt8]) -> Range<Int>? {
        var start = startIndex
        while let found = self[start...].firstIndex(of: needle[0]) {
            if self[found...].starts(with: needle) { return found..<found + needle.count }
            start = found + 1
        }
        return nil
    }
}
#endif
