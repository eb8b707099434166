// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The stops of a gain whose unit nobody says: some drivers count in proportion to light, some in decibels.
///
/// It takes the steeper of the two everywhere. So a step never changes more than it is taken for, and what was too little
/// is made up for by the next: a ramp may be slow, but never jumps and never swings.
struct GainCurve: Sendable, Hashable {
    /// What the whole range stands for, if it is in decibels: 36 of them.
    private static let mostStops = 6.0
    /// What a range that begins at 0 amplifies at its end, if it is in proportion.
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

    /// Steep as a logarithm up to the knee, and as decibels from there.
    func stops(_ number: Int64) -> Double {
        let gain = Double(number) + offset
        return gain < knee ? log2(gain) : log2(knee) + (gain - knee) * slope
    }
}
