// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A range of each day, by the clock or by the sun: `08:00-18:00`, `sunrise-30m..sunset`.
///
/// The range belongs to the day on which it begins, and may end on the next day: `22:00-06:00`, `sunset..sunrise`.
public struct DailyHours: Sendable, Hashable {
    /// The beginning or the end of the range.
    public enum Edge: Sendable, Hashable {
        /// Seconds since midnight by the local clock, 0 to 86,400.
        case clock(Int)
        /// The time after an event of the sun; negative before it.
        case sun(SunEvent, Duration)
    }

    /// A daily event of the sun. On a day on which the sun stays below the height of the event, the event is at solar
    /// noon; if the sun stays above that height, at solar midnight.
    public enum SunEvent: String, Sendable, Hashable, CaseIterable {
        /// Civil twilight begins: the sun is 6 degrees below the horizon.
        case dawn
        /// The sun's upper edge appears.
        case sunrise
        /// The sun's upper edge disappears.
        case sunset
        /// Civil twilight ends.
        case dusk
    }

    /// The first moment of the range.
    public let start: Edge
    /// The moment after the last one of the range.
    public let end: Edge

    /// Creates a range of each day.
    public init(from start: Edge, to end: Edge) { (self.start, self.end) = (start, end) }

    /// `true` if the sun determines an edge, which requires a place.
    public var needsPlace: Bool {
        [start, end].contains { if case .sun = $0 { true } else { false } }
    }
}

extension DailyHours {
    /// Returns the range on a day of the local calendar, counted from 1970; `nil` if it is empty that day, or if the
    /// place that it needs is `nil`.
    func range(day: Int64, _ zone: Zone, _ place: Place?) -> Range<WallMoment>? {
        guard let from = start.moment(day, zone, place, .first),
            let to = end.moment(endsNextDay ? day + 1 : day, zone, place, .second), from < to
        else { return nil }
        return from..<to
    }

    /// `true` if the range ends on the next day. The kinds of edges decide, not the time of sunrise: `17:00..sunset` is
    /// empty in winter, and does not last a day.
    private var endsNextDay: Bool {
        switch (start, end) {
        case (.clock(let start), .clock(let end)): end <= start
        case (.sun(let start, _), .sun(let end, _)): end.order < start.order
        case (.clock(let start), .sun(let end, _)): start >= Self.noon && end.isMorning
        case (.sun(let start, _), .clock(let end)): !start.isMorning && end <= Self.noon
        }
    }

    private static let noon = 43200
}

extension DailyHours.SunEvent {
    var isMorning: Bool { self == .dawn || self == .sunrise }

    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    fileprivate func moment(_ day: SolarDay) -> WallMoment {
        let light = day.light(self == .sunrise || self == .sunset ? .horizon : .civilTwilight)
        return isMorning ? light.lowerBound : light.upperBound
    }
}

extension DailyHours.Edge {
    fileprivate func moment(_ day: Int64, _ zone: Zone, _ place: Place?, _ choice: Zone.Repeat) -> WallMoment? {
        switch self {
        case .clock(let seconds): zone.moment(day: day, seconds: Int64(seconds), choice)
        case .sun(let event, let offset):
            place.map { event.moment(SolarDay(near: zone.moment(day: day, seconds: 43200), at: $0)) + offset }
        }
    }
}
