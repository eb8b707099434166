// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds attributes of a drawing's root without parsing it as XML.
enum SVGRoot {
    /// Returns an attribute of the first `<svg>`, fit for one line; `nil` if there is none. Entities are not replaced.
    static func attribute(_ name: String, in bytes: [UInt8]) -> String? {
        guard var rest = tag(in: bytes) else { return nil }
        let name = Array(name.utf8)
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let written = rest[..<equals].split(whereSeparator: isBlank).last
            let value = rest[(equals + 1)...].drop(while: isBlank)
            guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = value.dropFirst().firstIndex(of: quote)
            else { return nil }
            if written.map({ $0.elementsEqual(name) }) ?? false {
                return FixedText.clean(value[(value.startIndex + 1)..<end])
            }
            rest = rest[(end + 1)...]
        }
        return nil
    }

    /// Returns the bytes of the first `<svg>` tag after its name; `nil` if there is no such tag, or it has no end.
    private static func tag(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<!--".utf8) {
                guard let end = SVGTitle.index(after: "-->", in: rest.dropFirst(4)) else { return nil }
                rest = rest[end...]
            } else if rest.starts(with: "<svg".utf8), let next = rest.dropFirst(4).first, isBlank(next) {
                return attributes(of: rest.dropFirst(4))
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    /// Returns the bytes up to the first `>` outside quotes; `nil` if there is none.
    private static func attributes(of tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var quote: UInt8?
        for index in tag.indices {
            let byte = tag[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return tag[..<index]
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
}
