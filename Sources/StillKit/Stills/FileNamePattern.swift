// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Matches the file names that a template produces, to find the sequence numbers in use.
struct FileNamePattern: Sendable {
    private enum Piece: Sendable {
        case text(String)
        /// Any text of this many bytes.
        case any(Int)
        case number(width: Int)
    }

    private let pieces: [Piece]

    /// Creates the pattern of names in the template's folder at `time`. A time field matches any text that is as long
    /// as the field is then.
    init(_ template: FileNameTemplate, _ time: WallTime) {
        var pieces: [Piece] = []
        for part in template.parts {
            switch part {
            case .text(let text):
                let names = text.split(separator: "/", omittingEmptySubsequences: false)
                // The pieces so far belong to the folder.
                if names.count > 1 { pieces = [] }
                pieces.append(.text(String(names.last ?? "")))
            case .time(let field): pieces.append(.any(time.formatted(field)?.utf8.count ?? 0))
            case .sequence(let width): pieces.append(.number(width: width))
            }
        }
        self.pieces = pieces
    }

    /// Returns the number in a name that the template could have produced, up to 18 digits; `nil` if it could not.
    func number(in name: String) -> Int? {
        let digits = name.utf8.count { Self.isDigit($0) }
        // Other digits may be next to the number, so each length is tried.
        return (1...18).lazy.prefix(digits).compactMap { number(in: name, digits: $0) }.first
    }

    private func number(in name: String, digits: Int) -> Int? {
        var (number, rest): (Int?, Substring.UTF8View) = (nil, Substring(name).utf8)
        for piece in pieces {
            switch piece {
            case .text(let text): guard Self.drop(text, from: &rest) else { return nil }
            case .any(let count):
                guard rest.count >= count else { return nil }
                rest = rest.dropFirst(count)
            case .number(let width):
                // A number that occurs twice is the same in both places.
                guard let value = number ?? Self.number(rest.prefix(digits)) else { return nil }
                let text = number.map { $0.padded(to: width) }
                guard Self.drop(text ?? String(decoding: rest.prefix(digits), as: UTF8.self), from: &rest) else {
                    return nil
                }
                number = value
            }
        }
        return rest.isEmpty ? number : nil
    }

    /// Removes a text from the front; returns `false` if `rest` does not begin with it.
    private static func drop(_ text: String, from rest: inout Substring.UTF8View) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        digits.allSatisfy(isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
