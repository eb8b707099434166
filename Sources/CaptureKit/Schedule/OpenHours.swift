// Part of gst-capture. Apache License 2.0, see LICENSE.

/// When pictures may be taken: hours of the day, on days of the week.
public struct OpenHours: Sendable, Hashable {
    /// Parts of the day; none for all of it.
    public let hours: [DailyHours]
    /// The days on which such a part begins.
    public let days: Set<Weekday>
    /// Where the sun rises; needed where hours go by the sun.
    public let place: Place?

    /// Creates them.
    public init(_ hours: [DailyHours], on days: Set<Weekday> = Set(Weekday.allCases), at place: Place? = nil) {
        self.hours = hours.isEmpty ? [DailyHours(from: .clock(0), to: .clock(86400))] : hours
        self.days = days
        self.place = place
    }
}

extension OpenHours {
    /// How far ahead a time that is open is looked for: the sun of the poles rises once a year.
    private static let daysAhead: Int64 = 800

    /// The time that is open at a moment, or else the next.
    func range(atOrAfter moment: WallMoment, _ zone: Zone) -> Range<WallMoment>? {
        let today = zone.day(of: moment)
        // Hours that go over midnight, and those by the sun, may begin days before or on the day after.
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
