// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The distances between the system's clocks. They change when the wall clock is set or the machine is suspended.
package struct ClockReading: Sendable, Hashable {
    /// The wall clock's lead over the monotonic clock (`CLOCK_REALTIME`, `CLOCK_MONOTONIC`).
    var wall: Duration
    /// The total time for which the machine was suspended (`CLOCK_BOOTTIME`, `CLOCK_MONOTONIC`).
    var suspended: Duration
    /// The largest possible error of both: the scheduler can pause the thread between two of the clocks.
    var uncertainty = Duration.zero

    /// A reading with a smaller uncertainty, or span in nanoseconds, is not repeated.
    private static let precise = Duration.microseconds(20)
    private static let preciseSpan: Int64 = 40_000
    private static let attemptLimit = 50

    /// Reads the clocks. On a busy machine it repeats the reading and returns the most precise one.
    package static func now() -> ClockReading {
        var best = attempt()
        for _ in 1..<attemptLimit where best.uncertainty > precise {
            let next = attempt()
            if next.uncertainty < best.uncertainty { best = next }
        }
        return best
    }

    private static func attempt() -> ClockReading {
        let before = nanoseconds(of: CLOCK_MONOTONIC)
        let (wall, boot) = (nanoseconds(of: CLOCK_REALTIME), nanoseconds(of: CLOCK_BOOTTIME))
        let half = (nanoseconds(of: CLOCK_MONOTONIC) - before) / 2
        let middle = before + half
        return ClockReading(
            wall: .nanoseconds(wall - middle), suspended: .nanoseconds(boot - middle), uncertainty: .nanoseconds(half))
    }

    /// Returns the wall clock's lead over the monotonic clock in nanoseconds, as ``now()`` does. It is cheap: each frame
    /// of a camera needs it.
    static func wallLead() -> Int64 {
        var best: (lead: Int64, span: Int64) = (0, .max)
        for _ in 0..<attemptLimit where best.span > preciseSpan {
            let before = nanoseconds(of: CLOCK_MONOTONIC)
            let wall = nanoseconds(of: CLOCK_REALTIME)
            let span = nanoseconds(of: CLOCK_MONOTONIC) - before
            if span < best.span { best = (wall - before - span / 2, span) }
        }
        return best.lead
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * .nanosecondsPerSecond + Int64(time.tv_nsec)
    }

    /// The relation of wall clock and monotonic clock.
    package var timeLine: TimeLine { TimeLine(origin: WallMoment(nanoseconds: wall.nanoseconds), zone: .machine) }

    /// The smallest difference that is reported, in addition to the uncertainty of both readings.
    static let noise = Duration.milliseconds(1)

    /// Returns the changes since an earlier reading: a suspension first, then a step of the wall clock.
    func changes(since earlier: ClockReading) -> [ClockChange] {
        let threshold = Self.noise + uncertainty + earlier.uncertainty
        let suspension = suspended - earlier.suspended
        let slept = suspension > threshold
        let step = wall - earlier.wall - (slept ? suspension : .zero)
        return (slept ? [.suspended(suspension)] : [])
            + (step > threshold || step < .zero - threshold ? [.set(timeLine)] : [])
    }
}
