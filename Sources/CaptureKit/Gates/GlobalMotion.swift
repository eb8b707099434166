// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a picture as a whole moved against the one before it: what moves in front of it is left out.
struct GlobalMotion: Sendable, Hashable {
    /// To the right, in pixels of the preview.
    var x: Double
    /// Downwards, in pixels of the preview.
    var y: Double
    /// How many blocks of the picture had enough to see in them to tell.
    var blocks: Int
    /// How many of them moved like this.
    var agreeing: Int
    /// True where nothing is left where it was, and no common motion was found: it is farther than can be looked for.
    var isBeyondReach = false

    /// True where enough of the picture moved alike to say that the camera did; at the borders much leaves the picture.
    var isCommon: Bool { agreeing * 4 >= blocks }
}
