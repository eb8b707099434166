// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The ID of a record: a random UUID of version 4 (RFC 9562) in lower case. It never changes, on any board and backend.
public struct RecordID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The ID as text, of 36 characters.
    public let description: String

    /// Reads an ID; `nil` if the text is none.
    public init?(_ text: String) {
        let dashes: Set = [8, 13, 18, 23]
        let isID = text.utf8.enumerated().allSatisfy { index, byte in
            dashes.contains(index)
                ? byte == UInt8(ascii: "-")
                : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard text.utf8.count == 36, isID else { return nil }
        description = text
    }

    /// Creates an ID that no other record has.
    public static func random() -> RecordID {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
        (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x40, bytes[8] & 0x3f | 0x80)
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return RecordID(unchecked: text)
    }

    private init(unchecked text: String) { description = text }

    /// Orders IDs by their text.
    public static func < (a: RecordID, b: RecordID) -> Bool { a.description < b.description }
}
