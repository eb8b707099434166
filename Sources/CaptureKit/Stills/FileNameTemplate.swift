// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A file name with fields: those of strftime(3), `%n` for the sequence number and `%05n` for one with leading zeros.
public struct FileNameTemplate: Sendable, Hashable, CustomStringConvertible {
    enum Part: Sendable, Hashable {
        case text(String)
        case time(String)
        case sequence(width: Int)
    }

    /// The template as it was written.
    public let description: String
    let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``CaptureError`` of kind `usage` that names the field that is wrong.
    public init(parsing text: String) throws(CaptureError) {
        guard !text.isEmpty, text.utf8.count < 4096, !text.utf8.contains(0) else {
            throw CaptureError(.usage, "is no file name", subject: "output")
        }
        description = text
        parts = try Self.parse(text)
    }

    /// True where each picture has a name of its own by its number.
    public var usesSequence: Bool {
        parts.contains { if case .sequence = $0 { true } else { false } }
    }

    /// The name of a picture.
    public func render(_ time: WallTime, sequence: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .time(let field): time.formatted(field) ?? ""
            case .sequence(let width): Self.pad(sequence, width)
            }
        }.joined()
    }

    /// One more than the highest number that is in use in the folder at this time; 1 where there is none.
    func nextSequence(_ time: WallTime) -> Int {
        let path = render(time, sequence: 0)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let listing = opendir(folder) else { return 1 }
        defer { closedir(listing) }
        let pieces = pieces(time)
        var highest = 0
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            highest = max(highest, Self.number(in: name, pieces) ?? 0)
        }
        return highest + 1
    }

    /// What a file's name consists of. Times match any text that is as long as they are now.
    private enum Piece {
        case text(String)
        case any(Int)
        case number(width: Int)
    }

    private func pieces(_ time: WallTime) -> [Piece] {
        var pieces: [Piece] = []
        for part in parts {
            switch part {
            case .text(let text):
                let names = text.split(separator: "/", omittingEmptySubsequences: false)
                if names.count > 1 { pieces = [] }
                pieces.append(.text(String(names.last ?? "")))
            case .time(let field): pieces.append(.any(time.formatted(field)?.utf8.count ?? 0))
            case .sequence(let width): pieces.append(.number(width: width))
            }
        }
        return pieces
    }

    /// The number in a name that this template could have made, up to 18 digits.
    private static func number(in name: String, _ pieces: [Piece]) -> Int? {
        let digits = name.utf8.count { (0x30...0x39).contains($0) }
        return (1...18).lazy.prefix(digits).compactMap { number(in: name, pieces, digits: $0) }.first
    }

    private static func number(in name: String, _ pieces: [Piece], digits: Int) -> Int? {
        var (number, rest): (Int?, Substring.UTF8View) = (nil, Substring(name).utf8)
        for piece in pieces {
            let expected: String
            switch piece {
            case .text(let text): expected = text
            case .any(let count):
                guard rest.count >= count else { return nil }
                rest = rest.dropFirst(count)
                continue
            case .number(let width):
                if let number {
                    expected = pad(number, width)
                } else {
                    expected = String(decoding: rest.prefix(digits), as: UTF8.self)
                    guard expected.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
                    number = Int(expected)
                }
            }
            guard rest.starts(with: expected.utf8) else { return nil }
            rest = rest.dropFirst(expected.utf8.count)
        }
        return rest.isEmpty ? number : nil
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func parse(_ text: String) throws(CaptureError) -> [Part] {
        var (parts, literal, rest) = ([Part](), "", Substring(text))
        func flush() {
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
        }
        while let character = rest.popFirst() {
            guard character == "%" else {
                literal.append(character)
                continue
            }
            let field = try field(&rest, in: text)
            if case .text(let percent) = field {
                literal += percent
            } else {
                flush()
                parts.append(field)
            }
        }
        flush()
        return parts
    }

    private static func field(_ rest: inout Substring, in text: String) throws(CaptureError) -> Part {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        guard let letter = rest.popFirst() else { throw unknown("%\(digits)", in: text) }
        if letter == "n", digits.count <= 2 { return .sequence(width: Int(digits) ?? 0) }
        guard digits.isEmpty else { throw unknown("%\(digits)\(letter)", in: text) }
        if letter == "%" { return .text("%") }
        guard "aAbBdeFgGHIjklmMpsSuUVwWyYzZ".contains(letter) else { throw unknown("%\(letter)", in: text) }
        return .time("%\(letter)")
    }

    private static func unknown(_ field: String, in text: String) -> CaptureError {
        CaptureError(
            .usage, "\(field) in \"\(text)\" is no field", subject: "output",
            advice: "use %n or %05n for the number, %Y %m %d %H %M %S for the time, %% for a percent sign")
    }
}
