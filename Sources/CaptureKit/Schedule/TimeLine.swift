// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// How the monotonic clock, which stands still while the machine is suspended, and the wall clock relate. Pure.
public struct TimeLine: Sendable {
    /// What the wall clock showed, or would have shown, when the monotonic clock began.
    var origin: WallMoment
    /// The zone of the wall clock.
    public let zone: Zone

    /// Creates a time line where both clocks are at these moments at once.
    public init(_ time: ClockTime, is wallTime: WallTime, zone: Zone = .machine) {
        self.init(origin: WallMoment(wallTime) - (time - .zero), zone: zone)
    }

    init(origin: WallMoment, zone: Zone) { (self.origin, self.zone) = (origin, zone) }

    /// Both clocks as they are now (`CLOCK_MONOTONIC`, `CLOCK_REALTIME`), in the zone of this machine.
    public static func current() -> TimeLine { ClockReading.now().timeLine }

    /// A time line for tests and for what has nothing to do with the wall clock: both begin in 1970, UTC.
    static let plain = TimeLine(origin: WallMoment(nanoseconds: 0), zone: .utc)

    /// What the wall clock shows at a moment of the monotonic clock.
    func wall(_ time: ClockTime) -> WallMoment { origin + (time - .zero) }

    /// The moment of the monotonic clock; its beginning for what was before.
    func clock(_ moment: WallMoment) -> ClockTime { .zero + (moment - origin) }
}
