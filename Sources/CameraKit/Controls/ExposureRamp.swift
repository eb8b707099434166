// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import Glibc

/// Keeps the brightness of a series constant by exposure time and gain, in small steps from picture to picture.
///
/// If it gets darker, exposure time grows first, up to its limit, then gain. If it gets brighter, gain falls first.
/// There is thus a single path through both controls, and nothing oscillates at the transition between them. A control
/// with coarse steps moves by one step even if that exceeds the rate. Pure: it has no camera and no clock.
struct ExposureRamp: Sendable, Hashable {
    /// The largest deviation of brightness that causes no change, in stops. It is hardly visible.
    static let deadBand = 1.0 / 8
    /// The range of a target that is the brightness of the first pictures, so that a series that begins at night does
    /// not stay dark by day. A target that the user gives is not limited.
    static let targets = 0.25...0.65
    /// The largest error that counts, in stops: an all white or all black picture does not show its real error.
    private static let maximumError = 3.0

    private var time: RampedControl?
    private var gain: RampedControl?
    private let target: Double
    private let rate: Double
    private var follower = RampFollower(deadBand: deadBand)

    /// - Parameter brightness: The mean luma of the pictures so far.
    /// - Returns: `nil` if there is no control.
    init?(time: RampedControl?, gain: RampedControl?, brightness: Double, _ limits: RampLimits) {
        guard time != nil || gain != nil else { return nil }
        (self.time, self.gain, rate) = (time, gain, limits.rate)
        let settled = min(max(brightness, Self.targets.lowerBound), Self.targets.upperBound)
        target = LightReading.stops(limits.target ?? settled)
    }

    /// The settings for the current level.
    var settings: [ControlSetting] { [time?.setting, gain?.setting].compactMap { $0 } }

    /// Follows the mean luma of a picture that was captured with ``settings``, and changes them for the next picture.
    mutating func follow(_ brightness: Double) {
        let error = target - LightReading.stops(brightness)
        let wanted = level + min(max(error, -Self.maximumError), Self.maximumError)
        guard let goal = follower.follow(wanted, from: level) else { return }
        let isUp = goal > level
        move(
            by: isUp ? min(goal - level, rate) : max(goal - level, -rate), goal,
            isUp ? [\.time, \.gain] : [\.gain, \.time])
    }

    private var level: Double { (time?.level ?? 0) + (gain?.level ?? 0) }

    /// Moves the controls in order: the second one only after the first has reached its limit.
    private mutating func move(by change: Double, _ goal: Double, _ order: [WritableKeyPath<Self, RampedControl?>]) {
        let (start, isUp) = (level, change > 0)
        for path in order {
            guard var control = self[keyPath: path] else { continue }
            control.move(toward: control.level + start + change - level)
            if level == start, control == self[keyPath: path] { control.stepToward(control.level + goal - start) }
            self[keyPath: path] = control
            guard isUp ? control.isAtTop : control.isAtBottom else { return }
        }
    }
}

/// The stops of a gain of unknown unit: with some drivers it is proportional to light, with some it is in decibels.
///
/// The curve is the steeper of the two everywhere. A step therefore never changes more than assumed, and the next step
/// makes up for the rest: a ramp may be slow, but never jumps and never oscillates.
struct GainCurve: Sendable, Hashable {
    /// The stops of the whole range if the unit is decibels: 36 dB.
    private static let decibelStops = 6.0
    /// The amplification at the end of a range that begins at 0, if the unit is proportional to light.
    private static let linearGain = 32.0

    private let offset: Double
    private let knee: Double
    private let slope: Double

    init(from minimum: Int64, to maximum: Int64) {
        let range = max(1, Double(maximum) - Double(minimum))
        offset = minimum > 0 ? 0 : range / (Self.linearGain - 1) - Double(minimum)
        slope = Self.decibelStops / range
        knee = 1 / (slope * M_LN2)
    }

    /// Returns the stops of a gain: logarithmic up to the knee, and linear, as decibels are, from there.
    func stops(_ number: Int64) -> Double {
        let gain = Double(number) + offset
        return gain < knee ? log2(gain) : log2(knee) + (gain - knee) * slope
    }
}
