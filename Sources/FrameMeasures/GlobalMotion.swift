// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The motion of the whole picture against an earlier one, without objects that move in front of the background.
package struct GlobalMotion: Sendable, Hashable {
    /// The motion to the right, in pixels of the preview.
    package var x: Double
    /// The motion downward, in pixels of the preview.
    package var y: Double
    /// The number of blocks with enough texture to be matched.
    var blocks: Int
    /// The number of those blocks that moved by (``x``, ``y``).
    var agreeing: Int
    /// The blocks that correlate at this motion, and not at zero displacement.
    var going = BlockSpread()
    /// The blocks that correlate at zero displacement, and not at this motion.
    var staying = BlockSpread()
    /// All blocks, with or without texture.
    var whole = BlockSpread()
    /// `true` if hardly any block is still and no common motion was found: the motion exceeds the search window.
    package var isBeyondReach = false

    /// The evidence that the camera moved, and not a person in front of it. Only a sixth of the blocks needs to agree,
    /// because blocks leave the picture at its borders, and a gesturing person hides others.
    package var evidence: Evidence {
        guard agreeing * 6 >= blocks else { return .none }
        // Both are 0 for a motion that rounds to no pixel of the small picture.
        if going.count + staying.count == 0 { return .strong }
        // The fewer blocks stay, the less widely the moving ones need to be spread.
        if going.count > staying.count * 4, going.variance >= whole.variance * 0.7 { return .strong }
        guard going.count > staying.count * 12 else { return .none }
        if going.variance >= whole.variance * 0.5 { return .strong }
        return agreeing * 4 >= blocks * 3 ? .weak : .none
    }

    /// The strength of the evidence that the camera moved.
    package enum Evidence: Sendable {
        /// The camera did not move, or its motion is unknown.
        case none
        /// The moving blocks are in one part of the picture, and no still blocks are visible beside them.
        case weak
        /// The moving blocks are spread over the whole picture.
        case strong
    }
}
