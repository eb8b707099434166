// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Derives the goal of a ramp from single pictures, which are full of noise, flashes and passing cars.
///
/// The median of the last three pictures ignores a single outlier. The follower then has play, as gears do: the ramp
/// follows the light at a distance, and stays still while the light varies within the play. It never goes as far as the
/// light, and so cannot oscillate around it.
struct RampFollower: Sendable, Hashable {
    /// The distance of the light from the ramp that causes no move, in the ramp's unit.
    let play: Double
    private var recent: [Double] = []

    init(play: Double) { self.play = play }

    /// Takes the level that the next picture needs, and the current level. Returns the goal; `nil` to stay.
    mutating func follow(_ wanted: Double, from level: Double) -> Double? {
        recent = recent.suffix(2) + [wanted]
        guard recent.count == 3 else { return nil }
        let median = recent.sorted()[1]
        if median - play > level { return median - play }
        return median + play < level ? median + play : nil
    }
}
