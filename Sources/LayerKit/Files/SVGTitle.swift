// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds the title of a drawing without parsing it as XML: a list of outlines needs no more.
enum SVGTitle {
    /// Returns the text of the first `<title>`, fit for one line; `nil` if it is missing or empty.
    static func find(in bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<!--".utf8) {
                guard let end = index(after: "-->", in: rest.dropFirst(4)) else { return nil }
                rest = rest[end...]
            } else if rest.starts(with: "<title".utf8), let next = rest.dropFirst(6).first, isNameEnd(next) {
                return content(of: rest)
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    private static func content(of element: ArraySlice<UInt8>) -> String? {
        guard let start = index(after: ">", in: element),
            let end = element[start...].firstIndex(of: UInt8(ascii: "<"))
        else { return nil }
        let title = unescaped(FixedText.clean(element[start..<end]))
        return title.isEmpty ? nil : title
    }

    private static func isNameEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ">") || byte <= UInt8(ascii: " ") }

    static func index(after mark: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    /// Replaces XML's five predefined entities. Ampersands come last, since they begin the other entities.
    private static func unescaped(_ text: String) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        return entities.reduce(text) { text, entity in
            text.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
        }
    }
}
