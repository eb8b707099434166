// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension DailyHours {
    /// Parses `08:00-18:00`, `22:00..06:00`, `sunrise-30m..sunset+1h` or `08:00..dusk`.
    ///
    /// - Throws: `CaptureError` `.usage` if the text does not describe hours.
    public init(parsing text: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try Self.parse(text)
        } catch {
            throw CaptureError(.usage, error.message, advice: error.advice)
        }
    }

    package static func parse(_ text: String) throws(InvalidValue) -> DailyHours {
        guard let (start, end) = halves(text) else {
            throw InvalidValue(
                "\(text.quoted) is not a range of hours", advice: "give one such as 08:00-18:00 or sunrise-30m..sunset")
        }
        let hours = DailyHours(from: try edge(start, in: text), to: try edge(end, in: text))
        guard hours.start != hours.end, hours.start != .clock(86400) else {
            throw InvalidValue("\(text.quoted) is an empty range", advice: "for the whole day give 00:00-24:00")
        }
        return hours
    }

    /// Splits at two dots, or at a dash between times of the clock: a dash is the sign of an offset, too.
    private static func halves(_ text: String) -> (Substring, Substring)? {
        if let dots = text.firstRange(of: "..") { return (text[..<dots.lowerBound], text[dots.upperBound...]) }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy({ $0.utf8.first?.isDigit ?? false }) ? (parts[0], parts[1]) : nil
    }

    private static func edge(_ part: Substring, in text: String) throws(InvalidValue) -> Edge {
        let text = FixedText.trimmed(String(part))
        if text == "24:00" { return .clock(86400) }
        if text.utf8.first?.isDigit ?? false {
            guard let time = try? WallClockTarget.parse(text), time.day == nil, time.utcOffset == nil else {
                throw InvalidValue("\(text.quoted) is not a time of day", advice: "give one such as 08:00")
            }
            return .clock(time.hour * 3600 + time.minute * 60 + time.second)
        }
        return try sunEdge(text)
    }

    private static func sunEdge(_ text: String) throws(InvalidValue) -> Edge {
        let sign = text.firstIndex { $0 == "+" || $0 == "-" } ?? text.endIndex
        guard let event = SunEvent(rawValue: text[..<sign].lowercased()) else {
            throw InvalidValue(
                "\(text.quoted) is not a time of day",
                advice: "give one such as 08:00, or \(SunEvent.allCases.map(\.rawValue).alternatives)")
        }
        guard sign < text.endIndex else { return .sun(event, .zero) }
        let offset = try Duration.parse(String(text[text.index(after: sign)...]))
        guard offset <= .seconds(43200) else {
            throw InvalidValue("\(text.quoted) is too far from sunrise or sunset", advice: "give 12h or less")
        }
        return .sun(event, text[sign] == "-" ? .zero - offset : offset)
    }
}
