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
        var highest = 0
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            highest = max(highest, number(in: name) ?? 0)
        }
        return highest == .max ? highest : highest + 1
    }

    /// The number in a name that this template could have made; times match any text.
    private func number(in name: String) -> Int? {
        guard let last = parts.lastIndex(where: { if case .sequence = $0 { true } else { false } }) else { return nil }
        var rest = Substring(name)
        for part in parts[(last + 1)...].reversed() {
            guard case .text(let text) = part else {
                return nil
            }
            guard rest.hasSuffix(text) else { return nil }
            rest = rest.dropLast(text.count)
        }
        let digits = rest.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
        guard before(last, matches: rest.dropLast(digits.count)) else { return nil }
        return Int(String(digits))
    }

    private func before(_ index: Int, matches text: Substring) -> Bool {
        guard index > 0, case .text(let literal) = parts[index - 1] else { return index == 0 ? text.isEmpty : true }
        let name = literal.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return literal.contains("/") || index == 1 ? text == name : text.hasSuffix(name)
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
