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

    /// A reading that took at most this many nanoseconds is not repeated.
    private static let preciseSpan: Int64 = 40_000
    private static let attemptLimit = 50

    /// Reads the clocks. On a busy machine it repeats the reading and returns the most precise one.
    package static func now() -> ClockReading {
        mostPrecise {
            let before = nanoseconds(of: CLOCK_MONOTONIC)
            let (wall, boot) = (nanoseconds(of: CLOCK_REALTIME), nanoseconds(of: CLOCK_BOOTTIME))
            let span = nanoseconds(of: CLOCK_MONOTONIC) - before
            let middle = before + span / 2
            let reading = ClockReading(
                wall: .nanoseconds(wall - middle), suspended: .nanoseconds(boot - middle),
                uncertainty: .nanoseconds(span / 2))
            return (reading, span)
        }
    }

    /// Returns the wall clock's lead over the monotonic clock in nanoseconds, as ``now()`` does. It is cheap: each frame
    /// of a camera needs it.
    static func wallLead() -> Int64 {
        mostPrecise {
            let before = nanoseconds(of: CLOCK_MONOTONIC)
            let wall = nanoseconds(of: CLOCK_REALTIME)
            let span = nanoseconds(of: CLOCK_MONOTONIC) - before
            return (wall - before - span / 2, span)
        }
    }

    /// Returns the reading that took the shortest time, in nanoseconds.
    private static func mostPrecise<Reading>(_ read: () -> (reading: Reading, span: Int64)) -> Reading {
        var best = read()
        for _ in 1..<attemptLimit where best.span > preciseSpan {
            let next = read()
            if next.span < best.span { best = next }
        }
        return best.reading
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
