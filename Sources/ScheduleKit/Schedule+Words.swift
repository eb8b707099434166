// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension Schedule {
    /// The rule by which slots are due, in words, without their number and without the end:
    /// `every 10m, aligned, 08:00:00-18:00:00 on mon tue`.
    public var words: String {
        guard let interval else { return isOnRequest ? "on request" : "once" }
        let parts = [
            "every \(interval.shortText)", isAligned ? "aligned" : nil, start.map { "from \($0)" }, openHours?.words,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension OpenHours {
    fileprivate var words: String {
        let hours = hours.map(\.words).joined(separator: " ")
        let days = Weekday.allCases.filter(self.days.contains).map { "\($0)".prefix(3) }.joined(separator: " ")
        let place = place.map { " at \($0.latitude) \($0.longitude)" } ?? ""
        return hours + (self.days.count == 7 ? "" : " on " + days) + place
    }
}

extension DailyHours {
    fileprivate var words: String { start.words + (needsPlace ? ".." : "-") + end.words }
}

extension DailyHours.Edge {
    fileprivate var words: String {
        switch self {
        case .clock(let seconds):
            return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }
                .joined(separator: ":")
        case .sun(let event, let offset):
            let sign = offset > .zero ? "+" : ""
            return event.rawValue + (offset == .zero ? "" : sign + offset.shortText)
        }
    }
}
