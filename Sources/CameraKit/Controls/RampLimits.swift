// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The rate of ramps from one picture to the next, and their target.
public struct RampLimits: Sendable, Hashable {
    /// The largest change of exposure from one picture to the next, in stops (EV): a stop is twice the light, or half.
    ///
    /// White balance changes by 30 mired for each stop of the rate: 5 mired at 1/6, which is not visible.
    public var rate: Double
    /// The mean luma that pictures should have, 0 black to 1 white; `nil` for the brightness at which the camera's
    /// automatic control had settled.
    public var target: Double?

    /// A sixth of a stop: half a step of a camera's own dial.
    public static let standardRate = 1.0 / 6

    /// Returns the default rate: a sixth of a stop, and a sixth for each half minute if pictures are further apart.
    /// Dusk and dawn are slower than that.
    public static func standardRate(for interval: Duration?) -> Double {
        standardRate * max(1, (interval ?? .zero) / .seconds(30))
    }

    /// Creates limits.
    public init(rate: Double = Self.standardRate, target: Double? = nil) {
        self.rate = rate
        self.target = target
    }
}
