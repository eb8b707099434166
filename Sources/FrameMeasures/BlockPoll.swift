// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Determines the displacement of every block of a picture, and derives one motion from them.
///
/// A moving camera displaces the whole picture, up to its borders. A moving person displaces a part, and the background
/// stays. The poll therefore tests the most common motion on every block of the picture, including those with too
/// little texture to be matched: a block correlates better either at that displacement or at none.
struct BlockPoll: Sendable {
    /// The least texture of a block: some ten times that of noise in a dark room.
    private static let leastTexture: Float = 48
    /// A block that moved by less, in pixels of the small picture, counts as still.
    private static let still: Float = 0.4
    /// Blocks whose motions differ by less count as moving together.
    private static let alike: Float = 1
    /// The least number of blocks from which a motion is derived.
    private static let fewestBlocks = 3
    /// The least number of blocks with texture for which a motion can count as beyond reach.
    private static let fewestToMiss = 8
    /// The free margin at the border, so that a block stays in the picture after a small motion.
    private static let margin = 4
    /// The least correlation of a block that stays; noise may cover the little texture that it has.
    private static let leastLikeness: Float = 0.5
    /// The least difference between a block's correlations in the two places.
    private static let difference: Float = 0.2

    // Stored only to reuse their memory for each frame.
    private var blocks: [(x: Int, y: Int)] = []
    private var matches: [BlockMatcher.Match] = []

    /// Returns the motion between a matcher's two pictures; `nil` if there is too little texture.
    ///
    /// - Parameter scale: The number of preview pixels per pixel of the pictures.
    mutating func estimate(_ matcher: BlockMatcher, scale: Double) -> GlobalMotion? {
        collectBlocks(matcher)
        guard blocks.count >= Self.fewestBlocks else { return nil }
        match { matcher.descend($0, $1) }
        let still = matches.count { $0.length < Self.still }
        // The usual case: most blocks are still, and no block needs a search of the whole window.
        if still * 2 >= blocks.count {
            matches.removeAll { $0.length >= Self.still }
            return summary(of: matches[...], scale)
        }
        match { matcher.search($0, $1) }
        var motion = nextMotion(matcher, scale)
        // A person with much texture may hide the background: try the second most common motion.
        if motion.evidence == .none {
            let other = nextMotion(matcher, scale)
            if other.evidence != .none { motion = other }
        }
        motion.isBeyondReach =
            motion.evidence == .none && blocks.count >= Self.fewestToMiss
            && still * 14 < blocks.count && motion.staying.count == 0
        return motion
    }

    /// Collects the blocks with texture in both pictures. A block that turns black or white has none in
    /// one of them.
    private mutating func collectBlocks(_ matcher: BlockMatcher) {
        blocks.removeAll(keepingCapacity: true)
        Self.forEachBlock(of: matcher) { x, y in
            if matcher.texture(x, y) >= Self.leastTexture { blocks.append((x, y)) }
        }
    }

    private static func forEachBlock(of matcher: BlockMatcher, _ body: (_ x: Int, _ y: Int) -> Void) {
        let side = BlockMatcher.side
        for y in stride(from: margin, through: matcher.height - margin - side, by: side) {
            for x in stride(from: margin, through: matcher.width - margin - side, by: side) { body(x, y) }
        }
    }

    /// Replaces the matches with those that `find` returns for the blocks.
    private mutating func match(_ find: (_ x: Int, _ y: Int) -> BlockMatcher.Match?) {
        matches.removeAll(keepingCapacity: true)
        for block in blocks {
            if let match = find(block.x, block.y) { matches.append(match) }
        }
    }

    /// Returns the most common motion, tested on all blocks, and removes its matches, so that the next call returns the
    /// next most common one.
    private mutating func nextMotion(_ matcher: BlockMatcher, _ scale: Double) -> GlobalMotion {
        var (most, common) = (0, BlockMatcher.Match(x: 0, y: 0))
        for match in matches {
            let count = matches.count { ($0 - match).length < Self.alike }
            if count > most { (most, common) = (count, match) }
        }
        let first = matches.partition { ($0 - common).length < Self.alike }
        var motion = summary(of: matches[first...], scale)
        matches.removeSubrange(first...)
        countBlocks(matcher, on: &motion, scale)
        return motion
    }

    /// Returns the mean of the agreeing matches.
    private func summary(of agreeing: ArraySlice<BlockMatcher.Match>, _ scale: Double) -> GlobalMotion {
        let parts = scale / Double(max(1, agreeing.count))
        let (x, y) = agreeing.reduce(into: (0, 0)) { $0 = ($0.0 + Double($1.x), $0.1 + Double($1.y)) }
        return GlobalMotion(x: x * parts, y: y * parts, blocks: blocks.count, agreeing: agreeing.count)
    }

    /// Counts the blocks that moved with the motion, and those that stayed.
    private func countBlocks(_ matcher: BlockMatcher, on motion: inout GlobalMotion, _ scale: Double) {
        let (dx, dy) = (Int((motion.x / scale).rounded()), Int((motion.y / scale).rounded()))
        guard (dx, dy) != (0, 0) else { return }
        var (going, staying, all) = (BlockSpread(), BlockSpread(), BlockSpread())
        Self.forEachBlock(of: matcher) { x, y in
            let (column, row) = (x / BlockMatcher.side, y / BlockMatcher.side)
            all.add(column: column, row: row)
            guard let (here, there) = matcher.compare(x, y, dx, dy) else { return }
            if here >= Self.leastLikeness, here > there + Self.difference { staying.add(column: column, row: row) }
            if there >= BlockMatcher.alikeness, there > here + Self.difference { going.add(column: column, row: row) }
        }
        (motion.going, motion.staying, motion.whole) = (going, staying, all)
    }
}
