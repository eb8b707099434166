// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Matches the names of files and folders that a template produces, to find the sequence numbers in use.
struct FileNamePattern: Sendable {
    private enum Piece: Sendable {
        case text(String)
        /// Any text of this many bytes.
        case any(Int)
        case number(width: Int)

        var isNumber: Bool { if case .number = self { true } else { false } }
    }

    /// The folder that contains the first names with a number.
    private let folder: String
    /// The pieces of the names from ``folder`` on: those of folders, and last that of the picture. Empty if the template
    /// has no number.
    private let names: [[Piece]]

    /// Creates the pattern of names in the template's folder at `time`. A time field matches any text that is as long
    /// as the field is then.
    init(_ template: FileNameTemplate, _ time: WallTime) {
        var names: [[Piece]] = [[]]
        func append(_ piece: Piece) { names[names.count - 1].append(piece) }
        for part in template.parts {
            switch part {
            case .text(let text):
                // Bytes: a combining character after the slash would hide it.
                let pieces = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                for (index, name) in pieces.enumerated() {
                    if index > 0 { names.append([]) }
                    if !name.isEmpty { append(.text(String(Substring(name)))) }
                }
            case .time(let field): append(.any(time.formatted(field)?.utf8.count ?? 0))
            case .sequence(let width): append(.number(width: width))
            }
        }
        folder = template.folder(time)
        self.names = names.drop { !$0.contains(where: \.isNumber) }.filter { !$0.isEmpty }
    }

    /// Returns the highest number of a picture, up to 18 digits; 0 if there is none. Blocks: it reads whole folders.
    ///
    /// The first number in a path may have any number of digits: leading zeros are not required.
    func highestNumber() -> Int {
        guard let name = names.first else { return 0 }
        var highest = 0
        DeviceFiles.eachName(in: folder) { text in
            guard let number = Self.number(in: text, name), number > highest,
                names.count == 1 || isUsed(number, at: "\(folder)/\(text)", names.dropFirst())
            else { return }
            highest = number
        }
        return highest
    }

    /// Returns `true` if there is a picture with this number at a path, or below it with the further names.
    private func isUsed(_ number: Int, at path: String, _ names: ArraySlice<[Piece]>) -> Bool {
        guard let name = names.first else { return DeviceFiles.exists(path) }
        if let text = Self.text(name, number) { return isUsed(number, at: "\(path)/\(text)", names.dropFirst()) }
        var hasPicture = false
        DeviceFiles.eachName(in: path) { text in
            guard !hasPicture, Self.match(text, name, number) != nil else { return }
            hasPicture = isUsed(number, at: "\(path)/\(text)", names.dropFirst())
        }
        return hasPicture
    }

    /// Returns the name with this number; `nil` if it also has a field of time.
    private static func text(_ name: [Piece], _ number: Int) -> String? {
        var text = ""
        for piece in name {
            switch piece {
            case .text(let part): text += part
            case .any: return nil
            case .number(let width): text += number.padded(to: width)
            }
        }
        return text
    }

    private static func number(in text: String, _ name: [Piece]) -> Int? {
        let digits = text.utf8.count { $0.isDigit }
        // Other digits may be next to the number, so each length is tried.
        return (1...18).lazy.prefix(digits).compactMap { match(text, name, digits: $0) }.first
    }

    /// Returns the number in a text that matches the pieces of a name; `nil` if the text does not match.
    ///
    /// - Parameters:
    ///   - number: The number that the text must contain, padded to the width of each piece; `nil` to read it from the
    ///     text.
    ///   - digits: How many digits to read as the number, if `number` is `nil`.
    private static func match(_ text: String, _ name: [Piece], _ number: Int? = nil, digits: Int = 0) -> Int? {
        var (number, rest) = (number, Substring(text).utf8)
        for piece in name {
            switch piece {
            case .text(let text): guard drop(text, from: &rest) else { return nil }
            case .any(let count):
                guard rest.count >= count else { return nil }
                rest = rest.dropFirst(count)
            case .number(let width):
                // A number that occurs twice is the same in both places.
                guard let value = number ?? Self.number(rest.prefix(digits)) else { return nil }
                let text = number.map { $0.padded(to: width) }
                guard drop(text ?? String(decoding: rest.prefix(digits), as: UTF8.self), from: &rest) else {
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
        digits.allSatisfy(\.isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
}
