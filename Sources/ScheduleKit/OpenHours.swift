// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The times at which pictures may be captured: hours of the day, on days of the week.
public struct OpenHours: Sendable, Hashable {
    /// The ranges of the day.
    public let hours: [DailyHours]
    /// The days on which such a range begins.
    public let days: Set<Weekday>
    /// The place for sunrise and sunset; required if the sun determines hours.
    public let place: Place?

    /// Creates open hours; an empty array means the whole day.
    public init(_ hours: [DailyHours], on days: Set<Weekday> = Set(Weekday.allCases), at place: Place? = nil) {
        self.hours = hours.isEmpty ? [DailyHours(from: .clock(0), to: .clock(86400))] : hours
        self.days = days
        self.place = place
    }
}

extension OpenHours {
    /// The number of days that are searched for an open range: at the poles the sun rises once a year.
    private static let daysAhead: Int64 = 800

    /// Returns the open range that contains a moment, or else the next one; `nil` if there is none within 800 days.
    package func range(atOrAfter moment: WallMoment, _ zone: Zone) -> Range<WallMoment>? {
        let today = zone.day(of: moment)
        // Hours over midnight, and hours by the sun, may begin days before or on the day after.
        let near = (today - 2...today + 2).flatMap { ranges(day: $0, zone) }.filter { $0.upperBound > moment }
        if let range = near.min(by: { $0.lowerBound < $1.lowerBound }) { return range }
        for day in today + 3..<today + Self.daysAhead {
            if let range = ranges(day: day, zone).min(by: { $0.lowerBound < $1.lowerBound }) { return range }
        }
        return nil
    }

    private func ranges(day: Int64, _ zone: Zone) -> [Range<WallMoment>] {
        days.contains(Weekday(day: day)) ? hours.compactMap { $0.range(day: day, zone, place) } : []
    }
}
