// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
/// The part of a content that a request asks for (RFC 9110, section 14.1.2): `bytes=0-499`, `bytes=500-` or `bytes=-500`.
enum ByteRange: Sendable, Hashable {
    /// The whole content: the field is missing, is not valid, or asks for something that this server does not offer, such
    /// as several parts. RFC 9110 permits to ignore the field then.
    case whole
    /// These bytes, at least one.
    case part(Range<Int>)
    /// No byte of the content.
    case unsatisfiable

    /// Reads the field Range.
    ///
    /// - Parameters:
    ///   - field: The value of the field; `nil` if it is missing.
    ///   - byteCount: The length of the content.
    init(_ field: String?, of byteCount: Int) {
        self = Self.range(field ?? "", byteCount) ?? .whole
    }

    private static func range(_ field: String, _ byteCount: Int) -> ByteRange? {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        switch (bounds[0].isEmpty, bounds[1].isEmpty) {
        case (true, true): return nil
        case (true, false):
            guard let length = position(bounds[1]) else { return nil }
            return bytes(max(0, byteCount - length)..<byteCount)
        case (false, true):
            guard let first = position(bounds[0]) else { return nil }
            return bytes(min(first, byteCount)..<byteCount)
        case (false, false):
            guard let first = position(bounds[0]), let last = position(bounds[1]), first <= last else { return nil }
            return bytes(min(first, byteCount)..<min(last, byteCount - 1) + 1)
        }
    }

    private static func bytes(_ range: Range<Int>) -> ByteRange { range.isEmpty ? .unsatisfiable : .part(range) }

    /// Reads a number in digits. One that exceeds `Int` is as good as its largest value: no content is longer.
    private static func position(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return min(Int(text) ?? .max, .max - 1)
    }
}
#endif
