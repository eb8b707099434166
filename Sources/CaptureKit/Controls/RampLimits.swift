// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How far ramps go from one picture to the next, and where to.
public struct RampLimits: Sendable, Hashable {
    /// The most that exposure changes from one picture to the next, in stops (EV): a stop is twice the light, or half.
    ///
    /// White balance changes by 30 mired for each stop of it: 5 mired, which nobody sees, at 1/6.
    public var rate: Double
    /// The mean luma that pictures are to have, 0 black to 1 white; `nil` for what the camera's automatic had settled on.
    public var target: Double?

    /// A sixth of a stop, half of what cameras' own dials do.
    public static let standardRate = 1.0 / 6

    /// The rate where none is said: a sixth of a stop, and a sixth for each half minute where pictures are further apart.
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
