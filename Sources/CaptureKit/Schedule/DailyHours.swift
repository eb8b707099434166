// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A part of each day, by the clock or by the sun: `08:00-18:00`, `sunrise-30m..sunset`.
///
/// It belongs to the day on which it begins, and goes on to the next where it has to: `22:00-06:00`, `sunset..sunrise`.
public struct DailyHours: Sendable, Hashable {
    /// Where such a part begins or ends.
    public enum Edge: Sendable, Hashable {
        /// Seconds since midnight by the local clock, 0 to 86,400.
        case clock(Int)
        /// So long after something the sun does; before it where negative.
        case sun(SunEvent, Duration)
    }

    /// What the sun does every day. Where it does not rise, it does all of this at its noon; where it does not set, at its
    /// midnight.
    public enum SunEvent: String, Sendable, Hashable, CaseIterable {
        /// Civil twilight begins: the sun is 6 degrees below the horizon.
        case dawn
        /// Its upper edge shows.
        case sunrise
        /// Its upper edge is gone.
        case sunset
        /// Civil twilight ends.
        case dusk
    }

    /// The first moment.
    public let start: Edge
    /// The moment after the last.
    public let end: Edge

    /// Creates a part of each day.
    public init(from start: Edge, to end: Edge) { (self.start, self.end) = (start, end) }

    /// True where it takes the sun to know when.
    public var needsPlace: Bool {
        [start, end].contains { if case .sun = $0 { true } else { false } }
    }
}

extension DailyHours {
    /// When it is on a day of the local calendar, counted from 1970; `nil` where it is not.
    func range(day: Int64, _ zone: Zone, _ place: Place?) -> Range<WallMoment>? {
        guard let from = start.moment(day, zone, place, .first),
            let to = end.moment(endsNextDay ? day + 1 : day, zone, place, .second), from < to
        else { return nil }
        return from..<to
    }

    /// By how it is written and not by when the sun rises: `17:00..sunset` is empty in winter, and not a day long.
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
