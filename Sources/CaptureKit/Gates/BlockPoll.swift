// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Asks all blocks of a picture where they went, and makes one motion of their answers.
///
/// A camera that moves takes all with it, to the borders of the picture; somebody who moves takes a part, and what is behind
/// stays. So the motion that most blocks share is put to every block of the picture, also to those with too little to see
/// to be found again: is it there that the block looks like itself, or where it was?
struct BlockPoll: Sendable {
    /// The texture that a block must have: some ten times that of noise in a dark room.
    private static let leastTexture: Float = 48
    /// A block that moved by less, in pixels of the small picture, stands still.
    private static let still: Float = 0.4
    /// Blocks whose motions differ by less move alike.
    private static let alike: Float = 1
    /// With fewer blocks nothing is said.
    private static let fewestBlocks = 3
    /// With fewer blocks nothing is said of motions that were not found.
    private static let fewestToMiss = 8
    /// What is left free at the border, so that small motions stay in the picture.
    private static let margin = 4
    /// How much a block that stays looks like itself; noise may cover the little that there is to see in it.
    private static let leastLikeness: Float = 0.5
    /// By how much a block must look more like itself in one place than in the other.
    private static let difference: Float = 0.2

    // Kept from frame to frame for their memory.
    private var blocks: [(x: Int, y: Int)] = []
    private var matches: [BlockMatcher.Match] = []

    /// The motion between a matcher's two pictures; `nil` where there is too little to see.
    ///
    /// - Parameter scale: pixels of the preview to a pixel of the pictures.
    mutating func ask(_ matcher: BlockMatcher, scale: Double) -> GlobalMotion? {
        collectBlocks(matcher)
        guard blocks.count >= Self.fewestBlocks else { return nil }
        match { matcher.descend($0, $1) }
        let still = matches.count { $0.length < Self.still }
        // As a rule it ends here: most stands, and no block is looked for far away.
        if still * 2 >= blocks.count {
            matches.removeAll { $0.length >= Self.still }
            return summary(of: matches[...], scale)
        }
        match { matcher.search($0, $1) }
        var motion = heardMotion(matcher, scale)
        // Somebody with much to see may hide what is behind.
        if motion.evidence == .none {
            let other = heardMotion(matcher, scale)
            if other.evidence != .none { motion = other }
        }
        motion.isBeyondReach =
            motion.evidence == .none && blocks.count >= Self.fewestToMiss
            && still * 14 < blocks.count && motion.staying.count == 0
        return motion
    }

    /// The blocks with texture in both pictures: where light went out, or whites out, nothing can be said.
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

    /// Keeps what was found, of the blocks that were.
    private mutating func match(_ find: (_ x: Int, _ y: Int) -> BlockMatcher.Match?) {
        matches.removeAll(keepingCapacity: true)
        for block in blocks {
            if let match = find(block.x, block.y) { matches.append(match) }
        }
    }

    /// The motion that most blocks share, and what all say of it. Those that share it are left out the next time.
    private mutating func heardMotion(_ matcher: BlockMatcher, _ scale: Double) -> GlobalMotion {
        var (most, common) = (0, BlockMatcher.Match(x: 0, y: 0))
        for match in matches {
            let count = matches.count { ($0 - match).length < Self.alike }
            if count > most { (most, common) = (count, match) }
        }
        let first = matches.partition { ($0 - common).length < Self.alike }
        var motion = summary(of: matches[first...], scale)
        matches.removeSubrange(first...)
        hear(matcher, on: &motion, scale)
        return motion
    }

    /// The mean of those that agree.
    private func summary(of agreeing: ArraySlice<BlockMatcher.Match>, _ scale: Double) -> GlobalMotion {
        let parts = scale / Double(max(1, agreeing.count))
        let (x, y) = agreeing.reduce(into: (0, 0)) { $0 = ($0.0 + Double($1.x), $0.1 + Double($1.y)) }
        return GlobalMotion(x: x * parts, y: y * parts, blocks: blocks.count, agreeing: agreeing.count)
    }

    /// Asks every block whether it went with the motion or stayed.
    private func hear(_ matcher: BlockMatcher, on motion: inout GlobalMotion, _ scale: Double) {
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
