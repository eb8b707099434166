// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Glibc
import Synchronization

/// Judges how old something is by the time of the wall clock that it has, without believing a clock that jumps.
///
/// A board without a battery starts at a wrong time, and its clock jumps ahead when it gets the time from the network: a
/// picture of a minute ago then looks years old. The clock therefore remembers the stretches between jumps of this
/// process. A thing that was made in one of them has the steady time since then as its age. The age of a thing that an
/// earlier process made is known only while the wall clock is trusted.
package struct AgeClock: Sendable {
    /// The clocks at one moment.
    package struct Reading: Sendable, Hashable {
        /// Seconds since the start of 1970 by the wall clock.
        package var wall: Int64
        /// Seconds since the start of the machine, including suspension, which no one can set.
        package var steady: Int64
        /// `true` if the kernel knows the wall clock to be synchronized; `nil` if this process may not ask.
        package var isSynchronized: Bool?

        package init(wall: Int64, steady: Int64, isSynchronized: Bool?) {
            (self.wall, self.steady, self.isSynchronized) = (wall, steady, isSynchronized)
        }
    }

    /// A time in which the wall clock did not jump.
    private struct Stretch {
        /// The lead of the wall clock over the steady one, in seconds.
        var lead: Int64
        /// The times that the wall clock showed.
        var times: ClosedRange<Int64>

        mutating func extend(to time: Int64) {
            times = min(times.lowerBound, time)...max(times.upperBound, time)
        }
    }

    /// A difference of this many seconds is a jump; less is a correction.
    private static let tolerance: Int64 = 60
    /// How many seconds after a jump a clock counts as set if this process may not ask the kernel.
    private static let probation: Int64 = 86_400
    private static let mostStretches = 32
    /// No picture is older than this software (2026-01-01): earlier times are those of a clock that was not set.
    package static let firstTime: Int64 = 1_767_225_600

    private let firstTime: Int64
    private var now: Reading
    /// The stretches of this process, oldest first; the last one contains the present.
    private var stretches: [Stretch]
    /// By how much the clock jumped ahead without being known to be set since, in seconds.
    private var doubtfulLead: Int64 = 0
    private var lastJump: Int64 = 0

    /// Starts a clock.
    ///
    /// - Parameter firstTime: The earliest time of a clock that is set.
    package init(_ reading: Reading, firstTime: Int64 = AgeClock.firstTime) {
        (now, self.firstTime) = (reading, firstTime)
        stretches = [Stretch(lead: reading.wall - reading.steady, times: reading.wall...reading.wall)]
    }

    /// Takes a later reading.
    package mutating func update(_ reading: Reading) {
        let last = stretches.count - 1
        let lead = reading.wall - reading.steady
        let step = lead - stretches[last].lead
        now = reading
        if abs(step) > Self.tolerance {
            stretches[last].extend(to: stretches[last].lead + reading.steady)
            stretches.append(Stretch(lead: lead, times: reading.wall...reading.wall))
            doubtfulLead += step
            lastJump = reading.steady
            joinOldest()
        } else {
            stretches[last].lead = lead
            stretches[last].extend(to: reading.wall)
        }
        let isConfirmed = reading.isSynchronized ?? (reading.steady - lastJump >= Self.probation)
        if isConfirmed { doubtfulLead = 0 }
    }

    /// Joins the two oldest stretches if there are too many. Both count as the one in which things are younger.
    private mutating func joinOldest() {
        guard stretches.count > Self.mostStretches else { return }
        let (first, second) = (stretches[0], stretches[1])
        let times =
            min(first.times.lowerBound, second.times.lowerBound)...max(first.times.upperBound, second.times.upperBound)
        stretches.replaceSubrange(0...1, with: [Stretch(lead: min(first.lead, second.lead), times: times)])
    }

    /// The time of the wall clock, also if it is not trusted.
    package var time: WallTime { WallTime(seconds: now.wall, nanoseconds: 0) }

    /// `true` if the wall clock is set and each of its jumps ahead is confirmed.
    package var isTrusted: Bool { now.wall >= firstTime && doubtfulLead <= Self.tolerance }

    /// Returns the age in seconds of a thing that was made at a time of the wall clock.
    ///
    /// - Parameter time: Seconds since 1970.
    /// - Returns: The least age if the clock showed that time more than once; `nil` if the age is unknown. The age of a
    ///   thing from an earlier process is unknown if the clock is not trusted, or was not set when the thing was made.
    package func age(of time: Int64) -> Int64? {
        let own = stretches.filter { $0.times.contains(time) }.map { now.steady - (time - $0.lead) }
        if let age = own.min() { return max(0, age) }
        return isTrusted && time >= firstTime ? max(0, now.wall - time) : nil
    }
}

// MARK: - The machine

extension AgeClock {
    private static let machine = Mutex<AgeClock?>(nil)

    /// Reads the clocks of the machine. All callers of this process share the stretches. A process should call it when
    /// it begins to store things: a jump before the first call is not seen.
    package static func current() -> AgeClock {
        let reading = Reading.now()
        return machine.withLock { clock in
            var next = clock ?? AgeClock(reading)
            next.update(reading)
            clock = next
            return next
        }
    }
}

extension AgeClock.Reading {
    /// Reads the clocks.
    static func now() -> Self {
        Self(wall: seconds(of: CLOCK_REALTIME), steady: seconds(of: CLOCK_BOOTTIME), isSynchronized: isSynchronized)
    }

    private static func seconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec)
    }

    /// A sandbox may forbid to ask the kernel; systemd-timesyncd then leaves a file.
    private static var isSynchronized: Bool? {
        let state = cclock_is_synchronized()
        if state >= 0 { return state > 0 }
        return DeviceFiles.exists("/run/systemd/timesync/synchronized") ? true : nil
    }
}
