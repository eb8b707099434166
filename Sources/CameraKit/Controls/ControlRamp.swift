// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// The ramps of a camera, which follow the light from picture to picture.
package struct ControlRamp: Sendable, Hashable {
    var exposure: ExposureRamp?
    var whiteBalance: WhiteBalanceRamp?

    /// `true` if there is no ramp.
    package var isEmpty: Bool { exposure == nil && whiteBalance == nil }

    /// The settings for the current levels.
    var settings: [ControlSetting] {
        (exposure?.settings ?? []) + [whiteBalance?.setting].compactMap { $0 }
    }

    /// Follows the light of a picture that was captured with ``settings``. Returns the changes for the next picture.
    mutating func follow(_ reading: LightReading) -> [ControlSetting] {
        let before = Set(settings)
        exposure?.follow(reading.brightness)
        whiteBalance?.follow(reading)
        return settings.filter { !before.contains($0) }
    }
}

/// A property that can follow the light from picture to picture, in steps so small that a film of them does not
/// flicker.
public enum RampableControl: String, Sendable, Hashable, CaseIterable {
    /// Exposure time and gain.
    case exposure
    /// The white balance.
    case whiteBalance = "white-balance"

    /// The same property as a ``LockableControl``.
    package var lockable: LockableControl {
        switch self {
        case .exposure: .exposure
        case .whiteBalance: .whiteBalance
        }
    }
}

/// Derives the goal of a ramp from single pictures, which have noise, and outliers such as flashes and passing cars.
///
/// The median of the last three pictures ignores a single outlier. Within a dead band around the light, the ramp does
/// not move. Outside of it, the goal is the nearer end of the band. The ramp never reaches the light itself, so it
/// cannot oscillate around the light.
struct RampFollower: Sendable, Hashable {
    /// The largest distance of the light from the ramp that causes no move, in the ramp's unit.
    let deadBand: Double
    private var recent: [Double] = []

    init(deadBand: Double) { self.deadBand = deadBand }

    /// Returns the goal of the ramp; `nil` to stay.
    ///
    /// - Parameters:
    ///   - wanted: The level that the next picture needs.
    ///   - level: The current level.
    mutating func follow(_ wanted: Double, from level: Double) -> Double? {
        recent = recent.suffix(2) + [wanted]
        guard recent.count == 3 else { return nil }
        let median = recent.sorted()[1]
        if median - deadBand > level { return median - deadBand }
        return median + deadBand < level ? median + deadBand : nil
    }
}

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

    /// Returns the default rate: a sixth of a stop, or a sixth per 30 seconds between pictures if they are further
    /// apart. Dusk and dawn are slower than that.
    public static func standardRate(for interval: Duration?) -> Double {
        standardRate * max(1, (interval ?? .zero) / .seconds(30))
    }

    /// Creates limits.
    public init(rate: Double = Self.standardRate, target: Double? = nil) {
        self.rate = rate
        self.target = target
    }
}
