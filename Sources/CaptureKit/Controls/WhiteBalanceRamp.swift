// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Keeps the colour of a series by the camera's colour temperature, a little from picture to picture.
///
/// What a camera's automatic would choose cannot be read while it is off. So it goes by the grey world: the mean of red
/// against that of blue is kept at what it was when the automatic had settled. Pure: it has no camera and no clock.
struct WhiteBalanceRamp: Sendable, Hashable {
    /// Mired for a stop of red against blue, along the colours of daylight and lamps (Planck's, in sRGB's primaries).
    static let miredPerStop = 64.0
    /// Mired a picture, for each stop that exposure may change by.
    static let miredPerRate = 30.0
    /// How far off, in mired, before it moves: things of other colours come and go.
    static let play = 15.0
    /// What is nearly black or white has no colour to go by.
    static let usefulBrightness = 0.08...0.92
    private static let farthest = 100.0

    private var temperature: RampedControl
    private let target: Double
    private let rate: Double
    private var follower = RampFollower(play: play)

    /// - Parameter redToBlue: What pictures had until now, in stops.
    init(_ temperature: RampedControl, redToBlue: Double, _ limits: RampLimits) {
        (self.temperature, target) = (temperature, redToBlue)
        rate = limits.rate * Self.miredPerRate
    }

    /// What sets the control to where it is.
    var setting: ControlSetting { temperature.setting }

    /// Takes in how a picture was that was taken with ``setting``, and moves it for the next.
    ///
    /// A camera that is told of warmer light makes its picture bluer.
    mutating func follow(_ reading: LightReading) {
        guard let redToBlue = reading.redToBlue, Self.usefulBrightness.contains(reading.brightness) else { return }
        let error = (target - redToBlue) * Self.miredPerStop
        let wanted = temperature.level + min(max(error, -Self.farthest), Self.farthest)
        guard let goal = follower.follow(wanted, from: temperature.level) else { return }
        temperature.move(towards: goal, rate: rate)
    }
}
