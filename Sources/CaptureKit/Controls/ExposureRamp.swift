// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Keeps the brightness of a series by exposure time and gain, a little from picture to picture.
///
/// Towards the dark time grows first, up to its limit, then gain; towards the light gain goes first. So there is one way
/// through both, and nothing swings where one takes over from the other. A control of coarse steps goes by one step where
/// that is more than the rate. Pure: it has no camera and no clock.
struct ExposureRamp: Sendable, Hashable {
    /// How far brightness may be off before anything moves, in stops: hardly to be seen.
    static let play = 1.0 / 8
    /// What a camera had settled on counts within these: a series that begins at night does not stay dark by day.
    static let targets = 0.25...0.65
    /// A picture that is all white or black does not say how far off it is.
    private static let farthest = 3.0

    private var time: RampedControl?
    private var gain: RampedControl?
    private let target: Double
    private let rate: Double
    private var follower = RampFollower(play: play)

    /// - Parameter brightness: The mean luma that pictures had until now.
    /// - Returns: `nil` without a control.
    init?(time: RampedControl?, gain: RampedControl?, brightness: Double, _ limits: RampLimits) {
        guard time != nil || gain != nil else { return nil }
        (self.time, self.gain, rate) = (time, gain, limits.rate)
        let settled = min(max(brightness, Self.targets.lowerBound), Self.targets.upperBound)
        target = LightReading.stops(limits.target ?? settled)
    }

    /// What sets the controls to where it is.
    var settings: [ControlSetting] { [time?.setting, gain?.setting].compactMap { $0 } }

    /// Takes in the mean luma of a picture that was taken with ``settings``, and moves them for the next.
    mutating func follow(_ brightness: Double) {
        let error = target - LightReading.stops(brightness)
        let wanted = level + min(max(error, -Self.farthest), Self.farthest)
        guard let goal = follower.follow(wanted, from: level) else { return }
        let isUp = goal > level
        move(
            by: isUp ? min(goal - level, rate) : max(goal - level, -rate), goal,
            isUp ? [\.time, \.gain] : [\.gain, \.time])
    }

    private var level: Double { (time?.level ?? 0) + (gain?.level ?? 0) }

    /// The second comes where the first can go no further.
    private mutating func move(by change: Double, _ goal: Double, _ order: [WritableKeyPath<Self, RampedControl?>]) {
        let (start, isUp) = (level, change > 0)
        for path in order {
            guard var control = self[keyPath: path] else { continue }
            control.move(towards: control.level + start + change - level)
            if level == start, control == self[keyPath: path] { control.stepTowards(control.level + goal - start) }
            self[keyPath: path] = control
            guard isUp ? control.isAtTop : control.isAtBottom else { return }
        }
    }
}
