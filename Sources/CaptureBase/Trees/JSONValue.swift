// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// A JSON value (RFC 8259), encoded on one line.
///
/// It is used in place of Foundation's encoder because it starts faster and keeps the order of names.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number with at most three decimal places. Infinity and NaN are encoded as null.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// An object, whose names are encoded in this order.
    case object([Member])
    /// Text that is already JSON, on one line.
    case written(String)

    /// A name and its value.
    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// Returns an object without the members whose value is `nil`.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(present: members.map { ($0.key, $0.value) })
    }

    /// Returns an object of the members that have a value.
    package static func object(present members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// Returns the string, or null if it is `nil`.
    package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// Returns a duration in milliseconds.
    package static func milliseconds(_ duration: Duration) -> JSONValue { .number(Double(duration.nanoseconds) / 1e6) }

    /// The value as JSON, without a newline at the end.
    package var text: String {
        var text = ""
        append(to: &text)
        return text
    }

    /// The value as JSON for a file that people may open: one line for each member of the object, and a newline at the
    /// end.
    package var fileText: String {
        guard case .object(let members) = self else { return text + "\n" }
        let lines = members.map { "  \(JSONValue.string($0.name).text): \($0.value.text)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.digits(value)
        case .string(let value): Self.append(value, to: &text)
        case .written(let value): text += value
        case .array(let values): Self.append(values, "[", "]", to: &text) { $0.append(to: &$1) }
        case .object(let members):
            Self.append(members, "{", "}", to: &text) { member, text in
                Self.append(member.name, to: &text)
                text += ":"
                member.value.append(to: &text)
            }
        }
    }

    private static func append<Item>(
        _ items: [Item], _ open: String, _ close: String, to text: inout String, _ append: (Item, inout String) -> Void
    ) {
        text += open
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            append(item, &text)
        }
        text += close
    }

    private static func append(_ value: String, to text: inout String) {
        text += "\""
        // A search for characters takes a fraction of the time of copying them one by one.
        if value.utf8.allSatisfy(\.isPlainJSON) { text += value } else { appendEscaped(value, to: &text) }
        text += "\""
    }

    private static func appendEscaped(_ value: String, to text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}": text += scalar.jsonEscape
            // Some programs read JSON as YAML, this one among them.
            case _ where scalar.isForeignToYAML: text += scalar.jsonEscape
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func digits(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let thousandths = (value * 1000).rounded()
        guard abs(thousandths) < 1e15 else { return String(value) }
        let whole = Int(thousandths)
        var text = (whole < 0 ? "-" : "") + String(whole.magnitude / 1000)
        let fraction = (whole.magnitude % 1000).padded(to: 3)
        if let last = fraction.lastIndex(where: { $0 != "0" }) { text += "." + fraction[...last] }
        return text
    }
}

extension UInt8 {
    /// `true` for the ASCII characters that a JSON string has without an escape: nearly all text of programs.
    fileprivate var isPlainJSON: Bool {
        (0x20..<0x7F).contains(self) && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}

extension Unicode.Scalar {
    /// `true` if a JSON string may contain the character unescaped (RFC 8259, section 7), but YAML refuses it or reads it
    /// as the end of a line.
    package var isForeignToYAML: Bool {
        switch value {
        case 0x7F...0x9F, 0x2028...0x2029, 0xFFFE...0xFFFF: true
        default: false
        }
    }

    /// The escape of the character in a JSON string; for characters up to U+FFFF.
    package var jsonEscape: String { "\\u" + value.padded(to: 4, radix: 16) }
}
