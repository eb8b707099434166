// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Estimates the motion of a picture since earlier ones. A value type without thread affinity. It allocates nothing
/// once its buffers exist.
package struct MotionEstimator: Sendable {
    /// The largest number of pictures between the two that are compared.
    package static let farthestBack = 3

    private var planes = [DetailPlane](repeating: DetailPlane(), count: farthestBack + 1)
    private var newest = 0
    private var scale = 1
    private var poll = BlockPoll()
    /// The number of earlier pictures of the same size that are kept; -1 before the first picture.
    package private(set) var back = -1

    package init() {}

    /// Adds the next picture.
    package mutating func add(_ frame: LumaFrame) {
        let isAlike = (planes[newest].width, planes[newest].height) == (frame.width, frame.height)
        newest = (newest + 1) % planes.count
        planes[newest].fill(from: frame)
        scale = frame.scale
        back = isAlike ? min(back + 1, Self.farthestBack) : 0
    }

    /// Returns the motion since the picture `back` pictures ago; `nil` if it does not exist or has another size, or if
    /// the two have too little texture.
    package mutating func motion(since back: Int) -> GlobalMotion? {
        guard (1...Self.farthestBack).contains(back), back <= self.back, planes[newest].width > 0 else { return nil }
        let (width, height) = (planes[newest].width, planes[newest].height)
        return planes[(newest + planes.count - back) % planes.count].levels.withUnsafeBufferPointer { before in
            planes[newest].levels.withUnsafeBufferPointer { after in
                guard let before = before.baseAddress, let after = after.baseAddress else { return nil }
                let matcher = BlockMatcher(before: before, after: after, width: width, height: height)
                return poll.estimate(matcher, scale: Double(scale))
            }
        }
    }
}
