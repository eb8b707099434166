// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

extension LibraryQuery {
    /// The maximum length of a search, in bytes, and its maximum number of terms.
    static let mostBytes = 1024
    static let mostTerms = 32

    /// Reads a search: `snow tag:"first day" -series:street after:2026-03-01`. docs/library.md lists the terms.
    ///
    /// Any other term is a word, so each text is a search. The last word may be the beginning of one, unless
    /// a space follows it.
    ///
    /// - Throws: `CaptureError` `.usage` if the text is too long, or a date or a number of stars is none.
    public init(_ text: String) throws(CaptureError) {
        self.init()
        guard text.utf8.count <= Self.mostBytes else {
            throw .query("is longer than \(Self.mostBytes) bytes", advice: "search for fewer words")
        }
        let parts = QueryPart.parts(of: text)
        guard parts.count <= Self.mostTerms else {
            throw .query("has more than \(Self.mostTerms) terms", advice: "search for fewer words")
        }
        for part in parts { try add(part) }
    }

    private mutating func add(_ part: QueryPart) throws(CaptureError) {
        if let key = part.key, try limitDays(key, part) { return }
        let term = try Self.term(part)
        if part.isExcluded { excluded.append(term) } else { terms.append(term) }
    }

    private static func term(_ part: QueryPart) throws(CaptureError) -> Term {
        if part.key == Facet.Kind.stars.rawValue { return .stars(try stars(part.value)) }
        if let kind = part.key.flatMap(Facet.Kind.init(rawValue:)), !part.value.isEmpty {
            return .facet(Facet(kind, part.value))
        }
        let text = part.key.map { $0 + ":" + part.value } ?? part.value
        return part.isQuoted ? .phrase(text) : .word(text, isPrefix: part.isLast)
    }

    /// Limits the days; returns `false` if the key is not one of time.
    private mutating func limitDays(_ key: String, _ part: QueryPart) throws(CaptureError) -> Bool {
        guard ["day", "after", "before"].contains(key), !part.isExcluded else { return false }
        guard let day = WallTime.day(part.value) else {
            throw .query("\(part.value.quoted) is not a date", advice: "write it as 2026-03-01")
        }
        let limits =
            switch key {
            case "day": day...day
            case "after": day...Self.allDays.upperBound
            default: Self.allDays.lowerBound...day - 1
            }
        // Days that exclude each other find nothing.
        days = days.overlaps(limits) ? days.clamped(to: limits) : Self.allDays.lowerBound...Self.allDays.lowerBound
        return true
    }

    private static func stars(_ text: String) throws(CaptureError) -> ClosedRange<Int> {
        let ends = text.components(around: "..").map { $0.count == 1 ? Int($0) : nil }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], 0...5 ~= first,
            first <= last, last <= 5
        else {
            throw .query("\(text.quoted) is not a number of stars", advice: "write 4, or 3..5")
        }
        return first...last
    }
}

/// A part of a search between spaces: `-tag:"first snow"`.
private struct QueryPart {
    var isExcluded = false
    var key: String?
    var value = ""
    var isQuoted = false
    /// `true` for the last part, if no space follows it.
    var isLast = false

    static func parts(of text: String) -> [QueryPart] {
        var (parts, rest) = ([QueryPart](), text[...])
        while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
            rest = rest[start...]
            parts.append(QueryPart(&rest))
        }
        return parts
    }

    /// Reads the part at the beginning of `text`, and removes it.
    private init(_ text: inout Substring) {
        if text.first == "-", let second = text.dropFirst().first, !second.isWhitespace {
            isExcluded = true
            text = text.dropFirst()
        }
        if let colon = text.firstIndex(where: { !($0.isASCII && $0.isLetter) }), text[colon] == ":",
            colon != text.startIndex
        {
            key = text[..<colon].lowercased()
            text = text[text.index(after: colon)...]
        }
        isQuoted = text.first == "\""
        if isQuoted {
            text = text.dropFirst()
            value = String(text.prefix { $0 != "\"" })
            // A quotation mark without a second one quotes the rest.
            text = text.dropFirst(value.count + 1)
        } else {
            value = String(text.prefix { !$0.isWhitespace })
            text = text.dropFirst(value.count)
            isLast = text.isEmpty
        }
    }
}

extension WallTime {
    /// Returns the days from 1970 to a date such as `2026-03-01`; `nil` if the text is none.
    static func day(_ text: String) -> Int? {
        let time = WallTime(iso8601: text + "T00:00:00.000+00:00")
        // A date that does not exist, such as February 30, becomes another one.
        guard text.utf8.count == 10, let time, time.iso8601.hasPrefix(text) else { return nil }
        return Int(time.seconds / 86400)
    }
}

extension String {
    /// The parts before and after the first occurrence of a separator; the text itself without one.
    fileprivate func components(around separator: String) -> [String] {
        firstRange(of: separator).map { [String(self[..<$0.lowerBound]), String(self[$0.upperBound...])] } ?? [self]
    }
}

extension CaptureError {
    fileprivate static func query(_ message: String, advice: String) -> CaptureError {
        CaptureError(.usage, message, subject: "the search", advice: advice)
    }
}
#endif
