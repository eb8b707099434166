// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A control at a rung of its scale. It moves up and down, and never beyond the ends of the scale.
struct RampedControl: Sendable, Hashable {
    private var scale: RampScale
    private var rung: Int

    /// Returns `nil` if the control cannot be ramped, or its value is not known.
    init?(_ control: CameraControl, _ unit: RampScale.Unit) {
        guard let value = control.value?.integer, let scale = RampScale(control, unit) else { return nil }
        (self.scale, rung) = (scale, scale.rung(of: value))
    }

    /// The current level, in the unit of the scale.
    var level: Double { scale.level(rung) }

    /// The setting for the current rung.
    var setting: ControlSetting { scale.setting(rung) }

    var isAtTop: Bool { rung == scale.count - 1 }
    var isAtBottom: Bool { rung == 0 }

    /// The distance to the next rung up; infinite at the top.
    private var stepUp: Double { isAtTop ? .infinity : scale.level(rung + 1) - level }
    /// The distance to the next rung down; infinite at the bottom.
    private var stepDown: Double { isAtBottom ? .infinity : level - scale.level(rung - 1) }

    /// Limits the scale to a value, or to the current value if that is higher.
    mutating func limit(to value: Int64) { scale.limit(to: value, keeping: rung) }

    /// Moves toward a level, as near as possible without exceeding it.
    mutating func move(toward level: Double) {
        if level > self.level {
            rung = max(rung, scale.rung(notAbove: level))
        } else if level < self.level {
            rung = min(rung, scale.rung(notBelow: level))
        }
    }

    /// Moves toward a level, by `rate` at most. Moves by one rung if that is further than the rate.
    mutating func move(toward level: Double, rate: Double) {
        let before = rung
        move(toward: min(max(level, self.level - rate), self.level + rate))
        if rung == before { stepToward(level) }
    }

    /// Moves by one rung if that does not exceed the level.
    mutating func stepToward(_ level: Double) {
        if level - self.level >= stepUp { rung += 1 } else if self.level - level >= stepDown { rung -= 1 }
    }
}
