// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Compares each picture with the one before it. A value, of no thread; once its memory is there it allocates nothing.
struct MotionEstimator: Sendable {
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

    private var before = DetailPlane()
    private var after = DetailPlane()
    private var hasBefore = false
    private var blocks: [(x: Int, y: Int)] = []
    private var matches: [BlockMatcher.Match] = []
    private var sorted: [Float] = []

    /// The motion since the frame before; `nil` for the first frame, one of another size, and where there is too little to
    /// see in the two.
    mutating func add(_ frame: LumaFrame) -> GlobalMotion? {
        swap(&before, &after)
        after.fill(from: frame)
        let isSameSize = (before.width, before.height) == (after.width, after.height)
        defer { hasBefore = true }
        guard hasBefore, isSameSize, after.width > 0 else { return nil }
        return before.levels.withUnsafeBufferPointer { before in
            after.levels.withUnsafeBufferPointer { after in
                guard let before = before.baseAddress, let after = after.baseAddress else { return nil }
                let matcher = BlockMatcher(before: before, after: after, width: frame.width, height: frame.height)
                return Self.motion(matcher, scale: Double(frame.scale), &blocks, &matches, &sorted)
            }
        }
    }
}

extension MotionEstimator {
    /// The robust middle of what the blocks did.
    private static func motion(
        _ matcher: BlockMatcher, scale: Double, _ blocks: inout [(x: Int, y: Int)],
        _ matches: inout [BlockMatcher.Match], _ sorted: inout [Float]
    ) -> GlobalMotion? {
        collect(&blocks, matcher)
        guard blocks.count >= fewestBlocks else { return nil }
        matches.removeAll(keepingCapacity: true)
        for block in blocks { matches.append(matcher.descend(block.x, block.y)) }
        let standing = Standing(matches)
        if standing.tellsOfSomebody(of: blocks.count) {
            matches.removeAll { !$0.isAlike || $0.squaredLength >= still * still }
            return summary(of: matches, blocks: blocks.count, scale, &sorted)
        }
        matches.removeAll(keepingCapacity: true)
        for block in blocks {
            let match = matcher.search(block.x, block.y)
            if match.isAlike { matches.append(match) }
        }
        var motion = summary(of: matches, blocks: blocks.count, scale, &sorted)
        motion.isBeyondReach = !motion.isCommon && standing.still * 14 < blocks.count
        return motion
    }

    /// How many blocks stayed where they were.
    private struct Standing {
        var (exactly, still, creeping) = (0, 0, 0)

        init(_ matches: [BlockMatcher.Match]) {
            for match in matches where match.isAlike {
                let length = match.squaredLength
                exactly += length < exact * exact ? 1 : 0
                still += length < MotionEstimator.still * MotionEstimator.still ? 1 : 0
                creeping += length >= MotionEstimator.still * MotionEstimator.still && length < 1 ? 1 : 0
            }
        }

        /// A camera that moves takes the whole picture with it: where a part stands still, the rest is somebody who moves.
        /// Of a slow motion some blocks seem to stand, and more of them to creep.
        func tellsOfSomebody(of blocks: Int) -> Bool {
            (still * 7 >= blocks && still > creeping) || exactly * 4 >= blocks
        }
    }

    /// The blocks with texture in both pictures: where light has gone, or whites out, nothing can be said.
    private static func collect(_ blocks: inout [(x: Int, y: Int)], _ matcher: BlockMatcher) {
        blocks.removeAll(keepingCapacity: true)
        let side = BlockMatcher.side
        for y in stride(from: margin, through: matcher.height - margin - side, by: side) {
            for x in stride(from: margin, through: matcher.width - margin - side, by: side) {
                guard BlockMatcher.texture(matcher.before, matcher.width, x, y) >= leastTexture,
                    BlockMatcher.texture(matcher.after, matcher.width, x, y) >= leastTexture
                else { continue }
                blocks.append((x, y))
            }
        }
    }

    private static func summary(
        of matches: [BlockMatcher.Match], blocks: Int, _ scale: Double, _ sorted: inout [Float]
    ) -> GlobalMotion {
        guard !matches.isEmpty else { return GlobalMotion(x: 0, y: 0, blocks: blocks, agreeing: 0) }
        let (x, y) = (median(of: matches, &sorted) { $0.x }, median(of: matches, &sorted) { $0.y })
        let agreeing = matches.count {
            ($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y) < alike * alike
        }
        return GlobalMotion(x: Double(x) * scale, y: Double(y) * scale, blocks: blocks, agreeing: agreeing)
    }

    private static func median(
        of matches: [BlockMatcher.Match], _ sorted: inout [Float], _ component: (BlockMatcher.Match) -> Float
    ) -> Float {
        sorted.removeAll(keepingCapacity: true)
        for match in matches { sorted.append(component(match)) }
        sorted.sort()
        return sorted[sorted.count / 2]
    }
}
