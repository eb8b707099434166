// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The chunks of a PNG file (PNG 3rd edition, 5.3), up to the first truncated one. Checksums are not verified.
package struct PNGChunks {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The width and height in pixels, from the header; `nil` if there is no header.
    package var size: (width: Int, height: Int)? {
        guard let header = first("IHDR"), header.count >= 8 else { return nil }
        return (Self.number(header[..<4]), Self.number(header[4..<8]))
    }

    /// Returns the content of the first chunk with this name; `nil` if there is none.
    func first(_ name: String) -> [UInt8]? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        var place = 8
        while place + 12 <= bytes.count {
            let length = Self.number(bytes[place..<place + 4])
            guard place + 12 + length <= bytes.count else { return nil }
            let content = place + 8..<place + 8 + length
            if bytes[place + 4..<place + 8].elementsEqual(name.utf8) { return Array(bytes[content]) }
            place = content.upperBound + 4
        }
        return nil
    }

    /// Returns the file without chunks of these names. A truncated part at the end stays as it is.
    func without(_ names: Set<String>) -> [UInt8] {
        var (result, place) = (Array(bytes.prefix(8)), 8)
        while place + 12 <= bytes.count {
            let end = place + 12 + Self.number(bytes[place..<place + 4])
            guard end <= bytes.count else { break }
            if !names.contains(String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)) {
                result += bytes[place..<end]
            }
            place = end
        }
        return result + bytes[min(place, bytes.count)...]
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 << 8 | Int($1) } }
}
