// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The names of pictures at a target: a template with the fields of a picture and of its moment.
///
/// A name has ASCII letters, digits, `-`, `_`, `.` and `/` alone, which every protocol transfers unchanged. Other
/// characters become `-`.
package struct UploadName: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case field(Field)
        /// A field of strftime(3).
        case time(String)
    }

    private enum Field: String, Sendable, Hashable, CaseIterable {
        case board, series, camera, run, stage, file, `extension`, hash, sha256, line, ms
    }

    /// The board first, so that the load of a store spreads over its prefixes and each board can have its own
    /// credentials; the hash, so that two pictures never have the same name.
    package static let standard = UploadName(parts: [
        .field(.board), .text("/"), .field(.series), .text("/"), .time("%Y"), .text("/"), .time("%m"), .text("/"),
        .time("%d"), .text("/"), .time("%H"), .time("%M"), .time("%S"), .text("-"), .field(.hash), .text("."),
        .field(.extension),
    ])

    private static let mostBytes = 512
    private static let timeFields = Array("YymdHMSjsUWVGu".utf8)

    private let parts: [Part]

    private init(parts: [Part]) { self.parts = parts }

    /// The template as text.
    package var text: String {
        parts.map { part in
            switch part {
            case .text(let text), .time(let text): text
            case .field(let field): "{\(field.rawValue)}"
            }
        }.joined()
    }

    /// `true` if no two pictures with different content have the same name.
    package var isUnique: Bool {
        parts.contains { part in
            if case .field(let field) = part { return field == .hash || field == .sha256 }
            return false
        }
    }

    /// Parses a template such as `{board}/%Y-%m-%d/{file}.{extension}`.
    package init(_ text: String) throws(InvalidValue) {
        guard (1...Self.mostBytes).contains(text.utf8.count) else {
            throw InvalidValue("is not 1 to \(Self.mostBytes) bytes long")
        }
        var (parts, rest) = ([Part](), Substring(text))
        while let first = rest.utf8.first {
            switch first {
            case UInt8(ascii: "{"): parts.append(try Self.field(&rest))
            case UInt8(ascii: "%"): parts.append(try Self.time(&rest))
            default: parts.append(try Self.text(&rest))
            }
        }
        self.parts = parts
        try check()
    }

    private static func field(_ rest: inout Substring) throws(InvalidValue) -> Part {
        let end = rest.firstIndex(of: "}") ?? rest.endIndex
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        guard end < rest.endIndex, let field = Field(rawValue: name) else {
            let names = Field.allCases.map { "{\($0.rawValue)}" }
            throw InvalidValue("\(("{" + name + "}").quoted) is not a field", advice: "give \(names.alternatives)")
        }
        rest = rest[rest.index(after: end)...]
        return .field(field)
    }

    private static func time(_ rest: inout Substring) throws(InvalidValue) -> Part {
        guard let letter = rest.dropFirst().utf8.first, timeFields.contains(letter) else {
            let fields = timeFields.map { "%" + String(UnicodeScalar($0)) }
            throw InvalidValue(
                "\(rest.prefix(2).description.quoted) is not a field", advice: "give \(fields.alternatives)")
        }
        defer { rest = rest.dropFirst(2) }
        return .time(String(rest.prefix(2)))
    }

    private static func text(_ rest: inout Substring) throws(InvalidValue) -> Part {
        let text = rest.prefix { $0 != "{" && $0 != "%" }
        guard text.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "/") }) else {
            throw InvalidValue(
                "\(text.description.quoted) has characters that not every target accepts",
                advice: "use letters, digits, -, _, . and /")
        }
        rest = rest[text.endIndex...]
        return .text(String(text))
    }

    /// Checks the name of some picture: its parts can be empty or hidden, and nothing may lead out of the target.
    private func check() throws(InvalidValue) {
        var sample = UploadPicture.sample
        (sample.board, sample.series, sample.camera) = ("a", "b", "c")
        let components = name(of: sample).split(separator: "/", omittingEmptySubsequences: false)
        guard components.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else {
            throw InvalidValue(
                "has an empty part, or one that begins with a dot",
                advice: "give one such as {board}/{file}.{extension}")
        }
        let isDistinct = parts.contains { part in
            if case .field(let field) = part { return [.file, .hash, .sha256, .line].contains(field) }
            return false
        }
        guard isDistinct else {
            throw InvalidValue("gives many pictures the same name", advice: "add {hash}, {file} or {line}")
        }
    }

    /// Returns the name of a picture.
    package func name(of picture: UploadPicture) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .time(let format): picture.taken.formatted(format) ?? "0"
            case .field(let field): Self.value(field, picture)
            }
        }.joined()
    }

    private static func value(_ field: Field, _ picture: UploadPicture) -> String {
        switch field {
        case .board: plain(picture.board)
        case .series: plain(picture.series)
        case .camera: plain(picture.camera)
        case .run: plain(picture.run)
        case .stage: plain(picture.stage)
        case .file: plain(picture.baseName)
        case .extension: plain(picture.fileExtension)
        case .hash: String(picture.sha256.prefix(8))
        case .sha256: picture.sha256
        case .line: "\(picture.line)"
        case .ms: (Int(picture.taken.nanoseconds) / 1_000_000).padded(to: 3)
        }
    }

    /// Returns a text as a part of a name: never empty, and never hidden.
    private static func plain(_ text: String) -> String {
        let bytes = text.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") }
        let plain = String(decoding: bytes, as: UTF8.self)
        return plain.isEmpty ? "-" : plain.hasPrefix(".") ? "-" + plain.dropFirst() : plain
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isWordCharacter || byte == UInt8(ascii: ".")
    }
}

extension UploadName {
    /// Returns a name for a picture whose name belongs to another file: `-2` and so on before the extension.
    package static func alternative(to name: String, _ number: Int) -> String {
        let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        let dot = name[slash...].lastIndex(of: ".") ?? name.endIndex
        let stem = name[..<dot]
        let base = number > 2 && stem.hasSuffix("-\(number - 1)") ? stem.dropLast("-\(number - 1)".count) : stem
        return base + "-\(number)" + name[dot...]
    }
}
