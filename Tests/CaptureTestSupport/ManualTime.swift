// Part of gst-capture. Apache License 2.0, see LICENSE.

import ScheduleKit
import SystemBase

extension WallMoment {
    /// A moment such as `2026-03-29 01:30`, or with seconds, in UTC.
    package static func utc(_ text: String) -> WallMoment {
        let target = try? WallClockTarget(parsing: text + "Z")
        return target.map { WallMoment(seconds: $0.secondsSince1970(after: 0)) } ?? .distantPast
    }

    /// The time of day in a zone, without the date, such as `01:30`; with seconds if they are not 0.
    package func time(in zone: Zone = .utc) -> String {
        let second = zone.localSeconds(seconds).remainder(modulo: .secondsPerDay)
        let parts = [second / 3600, second / 60 % 60] + (second % 60 > 0 ? [second % 60] : [])
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension Zone {
    /// Central European time, with its summer time of 2026.
    package static let berlin = Zone { seconds in
        let (spring, autumn) = (WallMoment.utc("2026-03-29 01:00").seconds, WallMoment.utc("2026-10-25 01:00").seconds)
        return spring..<autumn ~= seconds ? 7200 : 3600
    }
}

extension TimeLine {
    /// A time line on which the monotonic clock is at 1000 s when the wall clock shows `text` in UTC.
    package static func at(_ text: String, _ zone: Zone = .utc) -> TimeLine {
        TimeLine(origin: WallMoment.utc(text) - .seconds(1000), zone: zone)
    }
}

extension ClockTime {
    /// The time `span` after the start of a test, which is at 1000 s.
    package static func after(_ span: Duration) -> ClockTime { ClockTime(nanoseconds: 1_000_000_000_000) + span }
}

extension SlotSeries {
    /// Advances past the next slots; returns them as clocks show them in the zone of the series.
    package mutating func times(_ count: Int) -> [String] {
        (0..<count).compactMap { _ in
            defer { advance() }
            return next.map { WallMoment($0.dueTime).time(in: timeLine.zone) }
        }
    }
}
