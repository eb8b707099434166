// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a layer is resolved against: the frame, the appearance, and what its text shows now.
struct LayerScene {
    let width: Int
    let height: Int
    let appearance: Style
    let values: [String: String]
    let unixTime: Int
    /// True where the frames are as in a mirror.
    var isMirrored = false

    /// The frame's shorter side, which lengths are fractions of.
    var side: Double { Double(min(width, height)) }

    func pixels(_ length: Length) -> Double { length.pixels(in: (width, height)) }
}
