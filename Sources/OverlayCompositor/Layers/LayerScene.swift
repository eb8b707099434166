// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The context in which a layer is resolved: the frame, the appearance, and the values and the time for texts.
struct LayerScene {
    let width: Int
    let height: Int
    let appearance: Style
    let values: [String: String]
    let unixTime: Int
    /// `true` if the frames are mirrored.
    var isMirrored = false

    /// The frame's shorter side in pixels; lengths are fractions of it.
    var side: Double { Double(min(width, height)) }

    func pixels(_ length: Length) -> Double { length.pixels(in: (width, height)) }
}
