// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Keeps the color of a series constant by the camera's color temperature, in small steps from picture to picture.
///
/// While the camera's automatic control is off, its choice cannot be read. The ramp therefore uses the gray world
/// assumption: it keeps the ratio of mean red to mean blue at its value when the automatic control had settled. Pure:
/// it has no camera and no clock.
struct WhiteBalanceRamp: Sendable, Hashable {
    /// The change of color temperature, in mired, that changes the ratio of red to blue by a stop (Planck's law, in
    /// sRGB's primaries).
    static let miredPerStop = 64.0
    /// The largest change per picture, in mired, for each stop of ``RampLimits/rate``.
    static let miredPerRate = 30.0
    /// The largest deviation that causes no move, in mired: objects of other colors enter and leave the picture.
    static let deadBand = 15.0
    /// The range of mean luma in which a picture has a usable color: neither nearly black nor nearly white.
    static let usefulBrightness = 0.08...0.92
    /// The largest error that counts, in mired.
    private static let maximumError = 100.0

    private var temperature: RampedControl
    private let target: Double
    private let rate: Double
    private var follower = RampFollower(deadBand: deadBand)

    /// - Parameter redToBlue: The ratio of red to blue in the pictures so far, in stops.
    init(_ temperature: RampedControl, redToBlue: Double, _ limits: RampLimits) {
        (self.temperature, target) = (temperature, redToBlue)
        rate = limits.rate * Self.miredPerRate
    }

    /// The setting for the current level.
    var setting: ControlSetting { temperature.setting }

    /// Follows the light of a picture that was captured with ``setting``, and changes it for the next picture.
    ///
    /// If the camera assumes warmer light, it makes the picture bluer.
    mutating func follow(_ reading: LightReading) {
        guard let redToBlue = reading.redToBlue, Self.usefulBrightness.contains(reading.brightness) else { return }
        let error = (target - redToBlue) * Self.miredPerStop
        let wanted = temperature.level + min(max(error, -Self.maximumError), Self.maximumError)
        guard let goal = follower.follow(wanted, from: temperature.level) else { return }
        temperature.move(toward: goal, rate: rate)
    }
}
