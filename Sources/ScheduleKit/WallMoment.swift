// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A moment by the wall clock in nanoseconds since 1970, UTC, from 1677 to 2262. Sums are clamped to this range.
package struct WallMoment: Sendable, Hashable, Comparable {
    var nanoseconds: Int64

    package static let distantPast = WallMoment(nanoseconds: .min)
    static let distantFuture = WallMoment(nanoseconds: .max)

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: .nanosecondsPerSecond)
        nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    package init(_ time: WallTime) {
        self = WallMoment(seconds: time.seconds) + .nanoseconds(Int64(time.nanoseconds))
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { nanoseconds.dividedDown(by: .nanosecondsPerSecond) }

    package static func < (left: WallMoment, right: WallMoment) -> Bool { left.nanoseconds < right.nanoseconds }

    static func + (moment: WallMoment, span: Duration) -> WallMoment {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(span.nanoseconds)
        return WallMoment(nanoseconds: overflow ? (span < .zero ? .min : .max) : sum)
    }

    package static func - (moment: WallMoment, span: Duration) -> WallMoment { moment + (.zero - span) }

    package static func - (moment: WallMoment, other: WallMoment) -> Duration {
        let (difference, overflow) = moment.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return .nanoseconds(overflow ? (moment < other ? .min : .max) : difference)
    }
}

extension WallTime {
    /// Creates the time of a moment, in the zone of this machine.
    package init(_ moment: WallMoment) {
        self.init(
            seconds: moment.seconds, nanoseconds: Int32(moment.nanoseconds.remainder(modulo: .nanosecondsPerSecond)))
    }
}

extension Int64 {
    static let nanosecondsPerSecond: Int64 = 1_000_000_000
    package static let secondsPerDay: Int64 = 86400

    /// Returns the quotient, rounded toward minus infinity; the divisor must be positive.
    package func dividedDown(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }

    /// Returns the remainder of such a division, which is never negative.
    package func remainder(modulo divisor: Int64) -> Int64 {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
