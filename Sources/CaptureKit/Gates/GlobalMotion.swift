// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a picture as a whole moved against one before it: what moves in front of it is left out.
struct GlobalMotion: Sendable, Hashable {
    /// To the right, in pixels of the preview.
    var x: Double
    /// Downwards, in pixels of the preview.
    var y: Double
    /// How many blocks of the picture had enough to see in them to tell.
    var blocks: Int
    /// How many of them moved like this.
    var agreeing: Int
    /// Of all blocks, those in which the motion explains what is there, and a camera that stands does not.
    var going = BlockSpread()
    /// Those in which it is the other way round.
    var staying = BlockSpread()
    /// All of them.
    var whole = BlockSpread()
    /// True where nothing is left where it was, and no common motion was found: it is farther than can be looked for.
    var isBeyondReach = false

    /// What speaks for the camera, and not for somebody before it. At the borders much leaves the picture, and who gestures
    /// hides much: few blocks need to agree.
    var evidence: Evidence {
        guard agreeing * 6 >= blocks else { return .none }
        // Of a motion of less than a pixel of the small picture they cannot tell.
        if going.count + staying.count == 0 { return .strong }
        // The fewer stand, the less far about what moves needs to reach.
        if going.count > staying.count * 4, going.variance >= whole.variance * 0.7 { return .strong }
        guard going.count > staying.count * 12 else { return .none }
        if going.variance >= whole.variance * 0.5 { return .strong }
        return agreeing * 4 >= blocks * 3 ? .weak : .none
    }

    /// How sure it is that the camera moved.
    enum Evidence: Sendable {
        /// It did not, or nobody knows.
        case none
        /// What moves is in one part of the picture, and nothing is seen beside it that stands.
        case weak
        /// What moves is all over the picture.
        case strong
    }
}
