// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite struct `What is on the screen of a preview` {
    private let shown = Shown()
    private let stage: PreviewStage

    init() {
        stage = PreviewStage { [shown] in shown.add($0) }
    }

    private func frame() throws -> Sample { try Sample(Buffer([0]), caps: Caps("x/frame")) }

    private func second(_ number: UInt64) -> ClockTime { ClockTime(nanoseconds: number * 1_000_000_000) }

    @Test func `is each frame as it comes, and while none comes what stands in`() throws {
        let (live, stand, next) = try (frame(), frame(), frame())
        stage.show(live, entered: second(1))
        let hold = stage.hold(at: second(2))
        #expect(hold.last == live)
        stage.show(stand, for: hold)
        stage.show(next, entered: second(3))
        #expect(shown.samples == [live, stand, next])
    }

    @Test func `is no frame that was under way when the camera was lost`() throws {
        let (live, late, stand) = try (frame(), frame(), frame())
        stage.show(live, entered: second(1))
        let hold = stage.hold(at: second(2))
        stage.show(late, entered: second(2))
        stage.show(stand, for: hold)
        stage.show(late, entered: second(1))
        #expect(shown.samples == [live, stand])
    }

    @Test func `is a frame of which nobody knows when it came`() throws {
        let frame = try frame()
        _ = stage.hold(at: second(2))
        stage.show(frame, entered: nil)
        #expect(shown.samples == [frame])
    }

    @Test func `is nothing that was painted too late`() throws {
        let (first, second, live) = try (frame(), frame(), frame())
        let holds = [stage.hold(at: self.second(1)), stage.hold(at: self.second(2))]
        #expect(holds[0].last == nil)
        stage.show(second, for: holds[1])
        stage.show(first, for: holds[0])
        stage.show(live, entered: self.second(3))
        stage.show(second, for: holds[1])
        #expect(shown.samples == [second, live])
    }

    @Test func `is nothing more after its end`() throws {
        let hold = stage.hold(at: second(1))
        stage.close()
        try stage.show(frame(), for: hold)
        try stage.show(frame(), entered: second(2))
        #expect(shown.samples.isEmpty && stage.hold(at: second(3)).last == nil)
    }
}

/// What was put on a screen, in this order.
private final class Shown: Sendable {
    private let list = Mutex<[Sample]>([])

    var samples: [Sample] { list.withLock { $0 } }

    func add(_ sample: Sample) { list.withLock { $0.append(sample) } }
}
