// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The stops of a gain of unknown unit: some drivers count in proportion to light, some in decibels.
///
/// The curve is the steeper of the two everywhere. A step therefore never changes more than assumed, and the next step
/// makes up for the rest: a ramp may be slow, but never jumps and never oscillates.
struct GainCurve: Sendable, Hashable {
    /// The stops of the whole range if the unit is decibels: 36 dB.
    private static let mostStops = 6.0
    /// The amplification at the end of a range that begins at 0, if the unit is in proportion to light.
    private static let mostLight = 32.0

    private let offset: Double
    private let knee: Double
    private let slope: Double

    init(from minimum: Int64, to maximum: Int64) {
        let range = max(1, Double(maximum) - Double(minimum))
        offset = minimum > 0 ? 0 : range / (Self.mostLight - 1) - Double(minimum)
        slope = Self.mostStops / range
        knee = 1 / (slope * M_LN2)
    }

    /// Returns the stops of a gain: logarithmic up to the knee, and linear, as decibels are, from there.
    func stops(_ number: Int64) -> Double {
        let gain = Double(number) + offset
        return gain < knee ? log2(gain) : log2(knee) + (gain - knee) * slope
    }
}
