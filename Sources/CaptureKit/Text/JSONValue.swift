// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A value of JSON (RFC 8259), written on one line.
///
/// It is ours rather than Foundation's encoder for the sake of start-up time, and because names keep their order.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    /// Written with three digits at most; what is not finite is written as null.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// Names in the order they are written in.
    case object([Member])
    /// What is JSON already, on one line.
    case written(String)

    /// A name and its value.
    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// An object; members without a value are left out.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The string, or null.
    package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// A span in milliseconds.
    package static func milliseconds(_ duration: Duration) -> JSONValue { .number(Double(duration.nanoseconds) / 1e6) }

    /// The value as JSON, without a line end.
    package var text: String {
        var text = ""
        append(to: &text)
        return text
    }

    /// The value as JSON for a file that people may open: each member of the object on a line of its own, with a line end.
    var fileText: String {
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
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}": text += "\\u" + scalar.value.padded(to: 4, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
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
