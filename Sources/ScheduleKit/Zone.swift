// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A time zone: the offset of its clocks from UTC at any moment.
public struct Zone: Sendable {
    /// Seconds east of UTC, at a moment in seconds since 1970 UTC.
    let utcOffset: @Sendable (Int64) -> Int

    /// Creates a zone.
    ///
    /// - Parameter utcOffset: Seconds east of UTC, at a moment in seconds since 1970 UTC. It is called from any thread.
    public init(utcOffset: @escaping @Sendable (Int64) -> Int) { self.utcOffset = utcOffset }

    /// The zone of this machine, with its daylight saving (`localtime_r(3)`), as read at its first use in the process
    /// or at the last ``refresh()``.
    public static let machine = Zone { seconds in
        var (time, local) = (time_t(seconds), tm())
        localtime_r(&time, &local)
        return Int(local.tm_gmtoff)
    }

    /// Reads the zone of this machine again (`tzset(3)`), which localtime_r() does not.
    ///
    /// Any thread may call this method, because Glibc guards tzset() and localtime_r() by one lock.
    public static func refresh() { tzset() }

    /// A zone without daylight saving.
    public static func fixed(_ utcOffset: Int) -> Zone { Zone { _ in utcOffset } }

    /// Universal time.
    public static let utc = fixed(0)
}

extension Zone {
    /// The choice between two moments at which clocks that are set back show the same time.
    package enum Repeat: Sendable {
        case first, second
    }

    /// Returns the time that clocks show, in seconds since 1970 as if they showed UTC.
    package func localSeconds(_ seconds: Int64) -> Int64 { seconds &+ Int64(utcOffset(seconds)) }

    /// Returns the moment at which clocks show a time; the chosen one if clocks that are set back show it twice. A time
    /// that daylight saving skips is read by the clock before the change.
    package func seconds(ofLocal local: Int64, _ choice: Repeat = .first) -> Int64 {
        let around = [-Int64.secondsPerDay, .secondsPerDay].map { Int64(utcOffset(local &+ $0)) }
        let moments = Set(around).map { local &- $0 }.filter { localSeconds($0) == local }
        return (choice == .first ? moments.min() : moments.max()) ?? local &- around[0]
    }

    /// Returns the number of the local day since 1970.
    func day(of moment: WallMoment) -> Int64 { localSeconds(moment.seconds).dividedDown(by: .secondsPerDay) }

    /// Returns the moment at which clocks show this time of a day; `seconds` may be those of another day.
    func moment(day: Int64, seconds: Int64, _ choice: Repeat = .first) -> WallMoment {
        WallMoment(seconds: self.seconds(ofLocal: day * .secondsPerDay + seconds, choice))
    }

    /// Returns a moment between `start` and `end` at which the offset changes; `nil` if both have the same offset. If
    /// the offset changes several times, the result is one of these moments.
    func change(from start: WallMoment, to end: WallMoment) -> WallMoment? {
        var (low, high) = (start.seconds, (end - .nanoseconds(1)).seconds)
        let before = utcOffset(low)
        guard low < high, utcOffset(high) != before else { return nil }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if utcOffset(middle) == before { low = middle } else { high = middle }
        }
        return WallMoment(seconds: high)
    }
}
