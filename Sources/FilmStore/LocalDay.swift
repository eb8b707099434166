// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import ScheduleKit

/// A day of the calendar, as clocks of a zone show it.
struct LocalDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Days since the start of 1970.
    private let number: Int64

    /// Creates the day on which a clock showed a time.
    init(_ time: WallTime) {
        let local = time.seconds &+ Int64(time.utcOffset)
        number = local.dividedDown(by: .secondsPerDay)
    }

    /// Reads the day at the start of a name such as `2026-12-01-2.mp4`; `nil` if there is none.
    init?(startOf name: String) {
        let numbers = name.prefix(10).split(separator: "-", omittingEmptySubsequences: false).map { part in
            part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        self.init(number: Int64(timegm(&fields)) / .secondsPerDay)
        // February has no day 30.
        guard description == name.prefix(10) else { return nil }
    }

    private init(number: Int64) { self.number = number }

    /// The moment at which the next day begins, in seconds since 1970 UTC.
    func end(in zone: Zone) -> Int64 { zone.seconds(ofLocal: (number + 1) * .secondsPerDay) }

    /// The moment at which the day begins, in the zone of this machine.
    func start(in zone: Zone) -> WallTime {
        WallTime(seconds: zone.seconds(ofLocal: number * .secondsPerDay), nanoseconds: 0)
    }

    /// The day such as `2026-12-01`.
    var description: String {
        WallTime(seconds: number * .secondsPerDay, nanoseconds: 0, utcOffset: 0).formatted("%Y-%m-%d") ?? ""
    }

    static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }
}
