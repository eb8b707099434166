// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The relation between the wall clock and the monotonic clock, which stands still while the machine is suspended.
/// Pure.
public struct TimeLine: Sendable {
    /// The wall clock's time at 0 of the monotonic clock, measured or computed.
    var origin: WallMoment
    /// The zone of the wall clock.
    public let zone: Zone

    /// Creates a time line from a simultaneous reading of both clocks.
    public init(_ time: ClockTime, is wallTime: WallTime, zone: Zone = .machine) {
        let sinceZero: Duration = time - ClockTime.zero
        self.init(origin: WallMoment(wallTime) - sinceZero, zone: zone)
    }

    package init(origin: WallMoment, zone: Zone) { (self.origin, self.zone) = (origin, zone) }

    /// Returns the relation of both clocks now (`CLOCK_MONOTONIC`, `CLOCK_REALTIME`), in the zone of this machine.
    public static func current() -> TimeLine {
        TimeLine(origin: WallMoment(nanoseconds: ClockReading.wallLead()), zone: .machine)
    }

    /// A time line for tests, and for code that does not depend on the wall clock: both clocks begin in 1970, UTC.
    package static let plain = TimeLine(origin: WallMoment(nanoseconds: 0), zone: .utc)

    /// Returns the wall clock's time at a moment of the monotonic clock.
    package func wall(_ time: ClockTime) -> WallMoment { origin + (time - .zero) }

    /// Returns the monotonic clock's time at a moment; 0 for moments before the clock began.
    func clock(_ moment: WallMoment) -> ClockTime { .zero + (moment - origin) }
}
