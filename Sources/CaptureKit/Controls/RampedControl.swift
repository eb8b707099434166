// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A control on a rung of its scale, which goes up and down from there and never off it.
struct RampedControl: Sendable, Hashable {
    private var scale: RampScale
    private var rung: Int

    /// `nil` where the control cannot be ramped, or its value is not known.
    init?(_ control: CameraControl, _ unit: RampScale.Unit) {
        guard let value = control.value?.integer, let scale = RampScale(control, unit) else { return nil }
        (self.scale, rung) = (scale, scale.rung(of: value))
    }

    /// Where it stands, in the unit of its scale.
    var level: Double { scale.level(rung) }

    /// What sets it so.
    var setting: ControlSetting { scale.setting(rung) }

    var isAtTop: Bool { rung == scale.count - 1 }
    var isAtBottom: Bool { rung == 0 }

    /// How far it is to the next rung.
    var stepUp: Double { isAtTop ? .infinity : scale.level(rung + 1) - level }
    var stepDown: Double { isAtBottom ? .infinity : level - scale.level(rung - 1) }

    /// Goes no further up than to a value, or than it is already.
    mutating func limit(to value: Int64) {
        let now = setting.value.integer ?? value
        scale.limit(to: max(now, value))
        rung = min(rung, scale.count - 1)
    }

    /// Goes towards a level, as near as can be without going beyond.
    mutating func move(towards level: Double) {
        if level > self.level {
            rung = max(rung, scale.rung(notAbove: level))
        } else if level < self.level {
            rung = min(rung, scale.rung(notBelow: level))
        }
    }

    /// Goes towards a level, by `rate` at most; by one rung where that is further than the rate.
    mutating func move(towards level: Double, rate: Double) {
        let before = rung
        move(towards: min(max(level, self.level - rate), self.level + rate))
        if rung == before { stepTowards(level) }
    }

    /// Goes by one rung, where that does not go beyond.
    mutating func stepTowards(_ level: Double) {
        if level - self.level >= stepUp { rung += 1 } else if self.level - level >= stepDown { rung -= 1 }
    }
}
