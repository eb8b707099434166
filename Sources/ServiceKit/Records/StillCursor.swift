// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// A position in the pictures of several series: in each, the line of the ledger before which the next page begins.
/// A series without a line has no more pictures.
///
/// The text is base64url (RFC 4648, section 5) of a key and a line for each series, so that the cursor of
/// ``StillCatalog/mostSeries`` series fits into the address of a request.
public struct StillCursor: Sendable, Hashable, CustomStringConvertible {
    /// The lines by the keys of their series.
    private let lines: [UInt64: Int]

    /// The maximum length of the text, in bytes.
    static let mostBytes = 7000
    /// The highest line; a ledger with a line a second reaches it in a thousand years.
    private static let mostLine = 1 << 35 - 1
    /// The bytes of a key. Two of 500 series have the same key with a probability of one in ten million.
    private static let keyBytes = 5

    /// - Parameter lines: The lines of series that have more pictures, from 1, by the IDs of the series.
    init(lines: [String: Int]) {
        self.lines = Dictionary(lines.map { (Self.key($0.key), min(max(1, $0.value), Self.mostLine)) }) { max($0, $1) }
    }

    /// Returns the line before which the next page begins in a series; `nil` if the series has no more pictures.
    func line(of series: String) -> Int? { lines[Self.key(series)] }

    private static func key(_ series: String) -> UInt64 {
        UInt64(SHA256.digits(of: Array(series.utf8)).prefix(2 * keyBytes), radix: 16) ?? 0
    }

    // MARK: The text

    /// Reads a cursor; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes, let bytes = Base64URL.bytes(text), !bytes.isEmpty else { return nil }
        var (rest, lines, last) = (bytes[...], [UInt64: Int](), UInt64?.none)
        while !rest.isEmpty {
            guard let key = Self.takeKey(&rest), last.map({ $0 < key }) ?? true, let line = Self.takeLine(&rest) else {
                return nil
            }
            (lines[key], last) = (line, key)
        }
        self.lines = lines
    }

    /// The cursor, as in URLs.
    public var description: String {
        var bytes: [UInt8] = []
        for (key, line) in lines.sorted(by: { $0.key < $1.key }) {
            for place in (0..<Self.keyBytes).reversed() { bytes.append(UInt8(truncatingIfNeeded: key >> (8 * place))) }
            // Seven bits a byte, the lowest first; the last byte has no high bit.
            var rest = line
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return Base64URL.text(bytes)
    }

    private static func takeKey(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard rest.count >= keyBytes else { return nil }
        defer { rest = rest.dropFirst(keyBytes) }
        return rest.prefix(keyBytes).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var (line, shift) = (0, 0)
        while let byte = rest.popFirst() {
            guard shift <= 28 else { return nil }
            line |= Int(byte & 0x7F) << shift
            guard byte < 0x80 else {
                shift += 7
                continue
            }
            // Each line has one text.
            return line >= 1 && (byte > 0 || shift == 0) ? line : nil
        }
        return nil
    }
}

/// Base64 for URLs, without padding (RFC 4648, section 5).
private enum Base64URL {
    static func text(_ bytes: [UInt8]) -> String {
        Base64.encoded(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the bytes of a text; `nil` if it is not the text of any bytes.
    static func bytes(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let bytes = Base64.decoded(text.replacing("-", with: "+").replacing("_", with: "/") + padding)
        return bytes.flatMap { Self.text($0) == text ? $0 : nil }
    }
}
