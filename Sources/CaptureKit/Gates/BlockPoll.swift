// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Asks all blocks of a picture where they went, and makes one motion of their answers.
struct BlockPoll: Sendable {
    /// The texture that a block must have: some ten times that of noise in a dark room.
    private static let leastTexture: Float = 48
    /// A block that moved by less, in pixels of the small picture, stands still.
    private static let still: Float = 0.4
    /// One that moved by less has not moved at all.
    private static let exact: Float = 0.2
    /// Blocks whose motions differ by less move alike.
    private static let alike: Float = 1
    /// With fewer blocks nothing is said.
    private static let fewestBlocks = 3
    /// What is left free at the border, so that small motions stay in the picture.
    private static let margin = 4

    // Kept from frame to frame for their memory.
    private var blocks: [(x: Int, y: Int)] = []
    private var matches: [BlockMatcher.Match] = []
    private var sorted: [Float] = []

    /// The motion between a matcher's two pictures; `nil` where there is too little to see.
    ///
    /// - Parameter scale: pixels of the preview to a pixel of the pictures.
    mutating func ask(_ matcher: BlockMatcher, scale: Double) -> GlobalMotion? {
        collectBlocks(matcher)
        guard blocks.count >= Self.fewestBlocks else { return nil }
        match { matcher.descend($0, $1) }
        let standing = Standing(matches)
        // As a rule it ends here: little moves, and no block is looked for far away.
        if standing.tellsOfSomebody(of: blocks.count) {
            matches.removeAll { $0.length >= Self.still }
            return summary(scale)
        }
        match { matcher.search($0, $1) }
        var motion = summary(scale)
        motion.isBeyondReach = !motion.isCommon && standing.still * 14 < blocks.count
        return motion
    }

    /// The blocks with texture in both pictures: where light went out, or whites out, nothing can be said.
    private mutating func collectBlocks(_ matcher: BlockMatcher) {
        blocks.removeAll(keepingCapacity: true)
        let side = BlockMatcher.side
        for y in stride(from: Self.margin, through: matcher.height - Self.margin - side, by: side) {
            for x in stride(from: Self.margin, through: matcher.width - Self.margin - side, by: side)
            where matcher.texture(x, y) >= Self.leastTexture {
                blocks.append((x, y))
            }
        }
    }

    /// Keeps what was found, of the blocks that were.
    private mutating func match(_ find: (_ x: Int, _ y: Int) -> BlockMatcher.Match?) {
        matches.removeAll(keepingCapacity: true)
        for block in blocks {
            if let match = find(block.x, block.y) { matches.append(match) }
        }
    }

    /// The median of all, and how many agree with it.
    private mutating func summary(_ scale: Double) -> GlobalMotion {
        guard !matches.isEmpty else { return GlobalMotion(x: 0, y: 0, blocks: blocks.count, agreeing: 0) }
        let middle = BlockMatcher.Match(x: median { $0.x }, y: median { $0.y })
        let agreeing = matches.count { ($0 - middle).length < Self.alike }
        return GlobalMotion(
            x: Double(middle.x) * scale, y: Double(middle.y) * scale, blocks: blocks.count, agreeing: agreeing)
    }

    private mutating func median(of component: (BlockMatcher.Match) -> Float) -> Float {
        sorted.removeAll(keepingCapacity: true)
        for match in matches { sorted.append(component(match)) }
        sorted.sort()
        return sorted[sorted.count / 2]
    }
}

extension BlockPoll {
    /// How many blocks stayed where they were.
    private struct Standing {
        var (exactly, still, creeping) = (0, 0, 0)

        init(_ matches: [BlockMatcher.Match]) {
            for match in matches {
                let length = match.length
                exactly += length < BlockPoll.exact ? 1 : 0
                still += length < BlockPoll.still ? 1 : 0
                creeping += length >= BlockPoll.still && length < 1 ? 1 : 0
            }
        }

        /// A camera that moves takes the whole picture with it: where a part stands still, the rest is somebody who moves.
        /// Of a slow motion some blocks seem to stand, and more of them to creep.
        func tellsOfSomebody(of blocks: Int) -> Bool {
            (still * 7 >= blocks && still > creeping) || exactly * 4 >= blocks
        }
    }
}
