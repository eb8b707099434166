// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Text with `strftime(3)` conversions for the time and `{name}` placeholders for values of the program, such as
/// `{countdown}` and `{stage}`.
public struct TextTemplate: Sendable, Hashable {
    /// The text as written.
    public let source: String

    private enum Part: Hashable {
        case time(String)
        case value(String)
        case verbatim(String)
    }

    private let parts: [Part]

    /// Parses any text. The name of a placeholder consists of ASCII letters, `-` and `_`; other braces stay as written.
    public init(_ source: String) {
        self.source = source
        var parts: [Part] = []
        var rest = source[...]
        while let (before, name, after) = Self.nextPlaceholder(rest) {
            if !before.isEmpty { parts.append(.time(before)) }
            parts.append(.value(name))
            rest = after
        }
        if !rest.isEmpty { parts.append(.time(String(rest))) }
        self.parts = parts
    }

    /// Creates a text that is shown unchanged, without placeholders and time conversions.
    public init(verbatim text: String) { (source, parts) = (text, [.verbatim(text)]) }

    /// `true` if the text changes with time.
    var showsTime: Bool {
        parts.contains { if case .time(let text) = $0 { text.contains("%") } else { false } }
    }

    /// The names of the placeholders.
    public var placeholders: [String] { parts.compactMap { if case .value(let name) = $0 { name } else { nil } } }

    /// Returns the text with the time and the values filled in.
    ///
    /// - Parameters:
    ///   - unixTime: Seconds since 1970, shown in the local time zone (`strftime(3)`).
    ///   - values: The values by placeholder name; a placeholder without a value stays as written.
    func text(at unixTime: Int, _ values: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .time(let text): Self.format(text, unixTime)
            case .value(let name): values[name] ?? "{\(name)}"
            case .verbatim(let text): text
            }
        }.joined()
    }
}

extension TextTemplate {
    /// Finds the first `{name}`. Returns the text before it, the name, and the text after it; `nil` if there is none.
    private static func nextPlaceholder(_ text: Substring) -> (String, String, Substring)? {
        var start = text.startIndex
        while let open = text[start...].firstIndex(of: "{") {
            let word = text[text.index(after: open)...].prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }
            if !word.isEmpty, word.endIndex < text.endIndex, text[word.endIndex] == "}" {
                return (String(text[..<open]), String(word), text[text.index(after: word.endIndex)...])
            }
            start = text.index(after: open)
        }
        return nil
    }

    /// The size of the buffer for a formatted part: 4095 bytes and the NUL that `strftime(3)` appends.
    private static let most = 4096

    /// Replaces the conversions of `strftime(3)`. If the result is empty or does not fit the buffer, for both of which
    /// `strftime(3)` returns 0, the text stays as written.
    private static func format(_ text: String, _ unixTime: Int) -> String {
        guard text.contains("%") else { return text }
        var (time, fields) = (time_t(unixTime), tm())
        guard localtime_r(&time, &fields) != nil else { return text }
        let bytes = [CChar](unsafeUninitializedCapacity: most) { buffer, count in
            count = buffer.baseAddress.map { strftime($0, most, text, &fields) } ?? 0
        }
        guard !bytes.isEmpty else { return text }
        return String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
