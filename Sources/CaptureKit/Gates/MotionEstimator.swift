// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Compares each picture with the one before it. A value, of no thread; once its memory is there it allocates nothing.
struct MotionEstimator: Sendable {
    private var before = DetailPlane()
    private var after = DetailPlane()
    private var poll = BlockPoll()

    /// The motion since the frame before; `nil` for the first frame, one of another size, and where there is too little to
    /// see in the two.
    mutating func add(_ frame: LumaFrame) -> GlobalMotion? {
        swap(&before, &after)
        after.fill(from: frame)
        guard after.width > 0, (before.width, before.height) == (after.width, after.height) else { return nil }
        return before.levels.withUnsafeBufferPointer { before in
            after.levels.withUnsafeBufferPointer { after in
                guard let before = before.baseAddress, let after = after.baseAddress else { return nil }
                let matcher = BlockMatcher(before: before, after: after, width: frame.width, height: frame.height)
                return poll.ask(matcher, scale: Double(frame.scale))
            }
        }
    }
}
