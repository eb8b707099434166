// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Says where a ramp is to go, from what single pictures say, which is full of noise, flashes and passing cars.
///
/// The median of the last three pictures leaves out one that is unlike the others. Then there is play, as in gears: the
/// ramp follows the light at a distance, and stands while the light comes and goes within it. It never goes as far as
/// the light, and so it cannot swing around it.
struct RampFollower: Sendable, Hashable {
    /// How far the light may be from the ramp before that moves, in the ramp's unit.
    let play: Double
    private var recent: [Double] = []

    init(play: Double) { self.play = play }

    /// Takes in where the ramp should be by the next picture, and where it is; answers where to go, if anywhere.
    mutating func follow(_ wanted: Double, from level: Double) -> Double? {
        recent = recent.suffix(2) + [wanted]
        guard recent.count == 3 else { return nil }
        let median = recent.sorted()[1]
        if median - play > level { return median - play }
        return median + play < level ? median + play : nil
    }
}
