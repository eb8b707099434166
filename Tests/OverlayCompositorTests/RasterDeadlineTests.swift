// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

struct `The time for a drawing` {
    @Test func `is the processor time that its process uses`() {
        var used = Duration.seconds(7)
        let deadline = RasterDeadline(.seconds(3600)) { used }
        #expect(deadline.left == .seconds(3600))
        used += .seconds(3599)
        #expect(deadline.left == .seconds(1))
        used += .seconds(1)
        #expect(deadline.left == .zero)
    }

    @Test func `ends for a process that uses no processor time`() {
        #expect(RasterDeadline(.zero) { .zero }.left <= .zero)
        #expect(RasterDeadline(.seconds(-1)) { .zero }.left < .zero)
    }
}
