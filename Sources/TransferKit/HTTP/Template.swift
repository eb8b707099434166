// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// A text in which `{key}` stands for a value of a picture, such as `{camera}`.
struct Template: Sendable {
    /// The place of a text, which decides how values are written.
    enum Place {
        /// In an address: all but letters, digits, `-`, `.`, `_` and `~` is percent-encoded.
        case address
        /// In a header: a value with a control character, such as a line feed, is refused.
        case header
        /// In a field of a form: values are written as they are.
        case field
    }

    private enum Piece {
        case text(String)
        case value(String)
        case secret
    }

    private let pieces: [Piece]
    private let place: Place

    /// The names of values, as in ``Upload/values``.
    private static let keys: Set<String> = [
        "board", "series", "camera", "run", "stage", "taken", "file", "name", "sha256", "bytes", "id",
    ]

    /// - Throws: `CaptureError` if a brace is not closed, a name is unknown, `{secret}` is not in a header, or a header
    ///   contains a control character.
    init(_ text: String, in place: Place, subject: String) throws(CaptureError) {
        guard place == .field || !text.contains(where: \.isControl) else {
            throw CaptureError(.configuration, "contains a control character", subject: subject)
        }
        var (pieces, rest) = ([Piece](), text[...])
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw CaptureError(.configuration, "has a { without its }", subject: subject)
            }
            let key = String(rest[rest.index(after: open)..<close])
            pieces.append(.text(String(rest[..<open])))
            pieces.append(try Self.piece(key, place, subject))
            rest = rest[rest.index(after: close)...]
        }
        (self.pieces, self.place) = (pieces + [.text(String(rest))], place)
    }

    private static func piece(_ key: String, _ place: Place, _ subject: String) throws(CaptureError) -> Piece {
        if key == "secret" {
            if place == .header { return .secret }
            throw CaptureError(.configuration, "has {secret}, which belongs into a header", subject: subject)
        }
        guard keys.contains(key) else {
            throw CaptureError(
                .configuration, "has {\(key)}, which is unknown", subject: subject,
                advice: "use \(keys.sorted().map { "{\($0)}" }.alternatives)")
        }
        return .value(key)
    }

    /// `true` if the text needs values of a picture.
    var hasValues: Bool {
        pieces.contains { if case .value = $0 { true } else { false } }
    }

    /// Returns the text with its values.
    ///
    /// - Parameter secret: The value of `{secret}`.
    func text(_ values: [String: String], secret: String? = nil) throws(TransferFault) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .value(let key):
                guard let value = values[key] else { throw .refused("the picture has no value {\(key)}") }
                guard let part = written(value) else { throw .refused("{\(key)} contains a control character") }
                text += part
            case .secret:
                guard let secret else { throw .access("{secret} is used, but the target names no secret") }
                guard let part = written(secret) else { throw .access("the secret contains a control character") }
                text += part
            }
        }
        return text
    }

    /// Returns a value as it is written at the place; `nil` if it cannot stand there.
    private func written(_ value: String) -> String? {
        switch place {
        case .address: ServerAddress.encoded(value)
        case .header: value.contains(where: \.isControl) ? nil : value
        case .field: value
        }
    }
}

extension Character {
    /// `true` for a character with a control, such as CR, LF, NUL or DEL.
    var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
#endif
