// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Finds attributes of a drawing's root without reading it as XML.
enum SVGRoot {
    /// An attribute of the first `<svg>`, fit for one line; `nil` where there is none. Entities are left as they are.
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

    /// What follows the name of the root, up to the end of all: the tag ends where no attribute follows.
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

    /// Up to the `>` that is in no quotes.
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
