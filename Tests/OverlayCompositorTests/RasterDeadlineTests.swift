// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

struct `The time limit of a drawing` {
    private let start = SuspendingClock.Instant.now

    @Test func `The time limit of a drawing counts the processor time that its process uses`() {
        var used = Duration.seconds(7)
        let deadline = RasterDeadline(.seconds(5), usedProcessorTime: { used }, now: { start })
        #expect(deadline.left == .seconds(5))
        used += .seconds(4)
        #expect(deadline.left == .seconds(1))
        #expect(deadline.reached == nil)
        used += .seconds(1)
        #expect(deadline.left == .zero)
        #expect(deadline.reached == .processorTime)
    }

    @Test(arguments: [(1, 12), (5, 60), (6, 60), (3600, 60)])
    func `The time limit of a drawing is reached after twelve times as much wall time, at most 60 s`(
        limit: Int, wallTime: Int
    ) {
        var now = start
        let deadline = RasterDeadline(.seconds(limit), usedProcessorTime: { .zero }, now: { now })
        now = start + .seconds(wallTime) - .milliseconds(1)
        #expect(deadline.left == .milliseconds(1))
        #expect(deadline.reached == nil)
        now = start + .seconds(wallTime)
        #expect(deadline.left == .zero)
        #expect(deadline.reached == .wallTime)
    }
}
