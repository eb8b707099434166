// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
/// The members of a JSON object as text that is not parsed.
///
/// A list of many records is split first, and each record is parsed alone: a mistake in one of them, or a depth beyond
/// the limit, leaves the others readable. Splitting uses no stack for nested values.
struct JSONPieces {
    private var members: [String: ArraySlice<UInt8>] = [:]

    /// Splits an object; `nil` if the text is none. The first of several members with one name counts.
    init?(_ text: ArraySlice<UInt8>) {
        var reader = Reader(text)
        guard reader.take("{") else { return nil }
        var isFirst = true
        while !reader.take("}") {
            guard isFirst || reader.take(","), let name = reader.string(), reader.take(":"), let value = reader.value()
            else { return nil }
            isFirst = false
            // Names of the protocol have no escapes.
            let key = String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
            if members[key] == nil { members[key] = value }
        }
        guard reader.isAtEnd else { return nil }
    }

    /// The text of the value of a member.
    subscript(name: String) -> ArraySlice<UInt8>? { members[name] }

    /// Splits a list; `nil` if the text is none.
    static func entries(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var (reader, entries) = (Reader(text), [ArraySlice<UInt8>]())
        guard reader.take("[") else { return nil }
        while !reader.take("]") {
            guard entries.isEmpty || reader.take(","), let value = reader.value() else { return nil }
            entries.append(value)
        }
        return reader.isAtEnd ? entries : nil
    }

    /// Finds where values end.
    private struct Reader {
        private static let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        private let text: ArraySlice<UInt8>
        private var index: Int

        init(_ text: ArraySlice<UInt8>) { (self.text, index) = (text, text.startIndex) }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return index == text.endIndex
            }
        }

        /// Skips a character if it is next.
        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard index < text.endIndex, text[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// Returns a string with its quotation marks.
        mutating func string() -> ArraySlice<UInt8>? {
            skipSpace()
            let start = index
            guard take("\"") else { return nil }
            while index < text.endIndex {
                switch text[index] {
                case UInt8(ascii: "\""):
                    index += 1
                    return text[start..<index]
                case UInt8(ascii: "\\"): index += 2
                default: index += 1
                }
            }
            return nil
        }

        /// Returns the text of a value.
        mutating func value() -> ArraySlice<UInt8>? {
            skipSpace()
            let start = index
            var depth = 0
            while index < text.endIndex {
                switch text[index] {
                case UInt8(ascii: "\""):
                    guard string() != nil else { return nil }
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    index += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    // The end of what the value is in.
                    if depth == 0 { return start < index ? text[start..<index] : nil }
                    depth -= 1
                    index += 1
                case UInt8(ascii: ",") where depth == 0: return start < index ? text[start..<index] : nil
                case let byte where depth == 0 && Self.space.contains(byte):
                    let end = index
                    skipSpace()
                    let isEnd = index == text.endIndex || [",", "}", "]"].contains { text[index] == UInt8(ascii: $0) }
                    return isEnd ? text[start..<end] : nil
                default: index += 1
                }
            }
            return depth == 0 && start < index ? text[start..<index] : nil
        }

        private mutating func skipSpace() {
            while index < text.endIndex, Self.space.contains(text[index]) { index += 1 }
        }
    }
}
#endif
