// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// How far the system's clocks are apart: what shows whether the wall clock was set, or the machine was suspended.
struct ClockReading: Sendable, Hashable {
    /// The wall clock's lead over the monotonic clock (`CLOCK_REALTIME`, `CLOCK_MONOTONIC`).
    var wall: Duration
    /// How long the machine was suspended in all (`CLOCK_BOOTTIME`, `CLOCK_MONOTONIC`).
    var suspended: Duration

    /// The clocks now; of several readings the one that took the shortest, for nothing came in between.
    static func now() -> ClockReading {
        var best = (span: Duration.seconds(1), reading: ClockReading(wall: .zero, suspended: .zero))
        for attempt in 0..<3 {
            let before = time(of: CLOCK_MONOTONIC)
            let (wall, boot) = (time(of: CLOCK_REALTIME), time(of: CLOCK_BOOTTIME))
            let span = time(of: CLOCK_MONOTONIC) - before
            guard attempt == 0 || span < best.span else { continue }
            let middle = before + span / 2
            best = (span, ClockReading(wall: wall - middle, suspended: boot - middle))
        }
        return best.reading
    }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What it says of wall clock and monotonic clock.
    var timeLine: TimeLine { TimeLine(origin: WallMoment(nanoseconds: wall.nanoseconds), zone: .machine) }

    /// Less than this is noise: the clocks are not read at one moment.
    static let noise = Duration.milliseconds(1)

    /// What happened since an earlier reading, in the order in which it is best dealt with.
    func changes(since earlier: ClockReading) -> [ClockChange] {
        let suspension = suspended - earlier.suspended
        let slept = suspension > Self.noise
        let step = wall - earlier.wall - (slept ? suspension : .zero)
        return (slept ? [.suspended(suspension)] : [])
            + (step > Self.noise || step < .zero - Self.noise ? [.set(timeLine)] : [])
    }
}
