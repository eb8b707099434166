// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Compares a picture with those before it. A value, of no thread; once its memory is there it allocates nothing.
struct MotionEstimator: Sendable {
    /// How many pictures back can be looked at.
    static let farthestBack = 3

    private var planes = [DetailPlane](repeating: DetailPlane(), count: farthestBack + 1)
    private var newest = 0
    private var scale = 1
    private var poll = BlockPoll()
    /// How many pictures back there is one of the same size.
    private(set) var back = -1

    /// Takes the next picture.
    mutating func add(_ frame: LumaFrame) {
        let isAlike = (planes[newest].width, planes[newest].height) == (frame.width, frame.height)
        newest = (newest + 1) % planes.count
        planes[newest].fill(from: frame)
        scale = frame.scale
        back = isAlike ? min(back + 1, Self.farthestBack) : 0
    }

    /// The motion since so many pictures ago; `nil` where there was none of the same size, and where there is too little
    /// to see in the two.
    mutating func motion(since back: Int) -> GlobalMotion? {
        guard (1...Self.farthestBack).contains(back), back <= self.back, planes[newest].width > 0 else { return nil }
        let (width, height) = (planes[newest].width, planes[newest].height)
        return planes[(newest + planes.count - back) % planes.count].levels.withUnsafeBufferPointer { before in
            planes[newest].levels.withUnsafeBufferPointer { after in
                guard let before = before.baseAddress, let after = after.baseAddress else { return nil }
                let matcher = BlockMatcher(before: before, after: after, width: width, height: height)
                return poll.ask(matcher, scale: Double(scale))
            }
        }
    }
}
