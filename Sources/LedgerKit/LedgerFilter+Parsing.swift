// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension LedgerFilter {
    /// Reads a moment: `18:00` for today, `2026-11-21`, `2026-11-21 18:00`, ISO 8601, or `2h` or `2h ago` for two hours
    /// before `now`.
    ///
    /// - Throws: `CaptureError` `.usage` if the text is not a moment.
    public static func moment(parsing text: String, now: WallTime = .now()) throws(CaptureError) -> WallTime {
        let today = now.formatted("%Y-%m-%d") ?? ""
        for candidate in [text, text + " 00:00"] {
            guard let target = try? WallClockTarget.parse(candidate) else { continue }
            if target.day != nil { return now.adding(target.remaining(from: now)) }
            // A time of day alone would be the next one, so it gets today's date.
            if let target = try? WallClockTarget.parse(today + " " + text) {
                return now.adding(target.remaining(from: now))
            }
        }
        let age = text.hasSuffix(" ago") ? String(text.dropLast(4)) : text
        if let span = try? Duration.parse(age) { return now.adding(.zero - span) }
        throw CaptureError(
            .usage, "\(text.quoted) is not a time", advice: "give one such as 18:00, 2026-11-21, or 2h ago"
        )
    }

    /// Reads slots as users count them, from 1: `5`, `5-20`, `5-` or `-20`. The result counts from 0.
    ///
    /// - Throws: `CaptureError` `.usage` if the text is not a range of slots.
    public static func slots(parsing text: String) throws(CaptureError) -> ClosedRange<Int> {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = ends.map { $0.utf8.allSatisfy(\.isDigit) && $0.utf8.count <= 15 ? Int($0) : nil }
        let isOpen = zip(ends, numbers).allSatisfy { $0.isEmpty || $1 != nil } && ends.contains { !$0.isEmpty }
        let (first, last) = (numbers[0] ?? 1, numbers.count == 1 ? numbers[0] ?? 1 : numbers[1] ?? (1 << 50))
        guard isOpen, first >= 1, first <= last else {
            throw CaptureError(
                .usage, "\(text.quoted) is not a range of slots", advice: "give one such as 5, 5-20 or 5-")
        }
        return first - 1...last - 1
    }
}
