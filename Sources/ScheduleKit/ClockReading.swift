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

    /// A reading with a smaller uncertainty is not repeated.
    private static let precise = Duration.microseconds(20)
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
        let before = time(of: CLOCK_MONOTONIC)
        let (wall, boot) = (time(of: CLOCK_REALTIME), time(of: CLOCK_BOOTTIME))
        let half = (time(of: CLOCK_MONOTONIC) - before) / 2
        let middle = before + half
        return ClockReading(wall: wall - middle, suspended: boot - middle, uncertainty: half)
    }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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
