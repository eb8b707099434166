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

    // MARK: Pages

    @Test func `is a page as soon as it is painted, whatever comes from a camera, until the last frame again`() throws {
        let (live, page, next, last) = try (frame(), frame(), frame(), frame())
        stage.show(live, entered: second(1))
        let turn = stage.turn()
        #expect(turn.last == live)
        stage.show(next, entered: second(2))
        stage.show(page, asPage: turn)
        stage.show(last, entered: second(3))
        #expect(shown.samples == [live, next, page])
        stage.uncover()
        #expect(shown.samples == [live, next, page, last])
    }

    @Test func `is the newest page, and none that was painted too late`() throws {
        let (first, second, live) = try (frame(), frame(), frame())
        let turns = [stage.turn(), stage.turn()]
        stage.show(second, asPage: turns[1])
        stage.show(first, asPage: turns[0])
        stage.uncover()
        stage.show(second, asPage: turns[1])
        stage.show(live, entered: self.second(1))
        #expect(shown.samples == [second, live])
    }

    @Test func `is a page though the camera is lost, and behind it what is wrong`() throws {
        let (live, page, stand, next) = try (frame(), frame(), frame(), frame())
        stage.show(live, entered: second(1))
        stage.show(page, asPage: stage.turn())
        stage.show(stand, for: stage.hold(at: second(2)))
        #expect(shown.samples == [live, page])
        stage.uncover()
        #expect(shown.samples == [live, page, stand])
        stage.show(page, asPage: stage.turn())
        stage.show(next, entered: second(3))
        stage.uncover()
        #expect(shown.samples == [live, page, stand, page, next])
    }

    @Test func `is a page before there was any frame, and after it until the first`() throws {
        let (page, live) = try (frame(), frame())
        stage.show(page, asPage: stage.turn())
        stage.uncover()
        stage.show(live, entered: second(1))
        #expect(shown.samples == [page, live])
    }

    // MARK: Flash

    @Test func `is white from the flash to its end, whatever comes meanwhile, then the last frame`() throws {
        let (flash, live, within, next) = try (frame(), frame(), frame(), frame())
        try prepare(flash)
        stage.show(live, entered: second(1))
        stage.flash(until: second(3))
        stage.show(within, entered: second(2))
        stage.endFlash(at: second(2))
        #expect(shown.samples == [live, flash])
        stage.endFlash(at: second(3))
        stage.show(next, entered: second(4))
        stage.endFlash(at: second(5))
        #expect(shown.samples == [live, flash, within, next])
    }

    @Test func `is a frame from after the flash, before anybody ended it`() throws {
        let (flash, next) = try (frame(), frame())
        try prepare(flash)
        stage.flash(until: second(2))
        stage.show(next, entered: second(2))
        stage.endFlash(at: second(3))
        #expect(shown.samples == [flash, next])
    }

    @Test func `is no flash on a page, where the camera is lost, or for frames of another format`() throws {
        let (flash, page) = try (frame(), frame())
        stage.flash(until: second(1))
        try prepare(flash)
        #expect(try stage.setCaps(Caps("x/other")))
        stage.flash(until: second(1))
        try prepare(flash)
        stage.show(page, asPage: stage.turn())
        stage.flash(until: second(1))
        stage.uncover()
        _ = stage.hold(at: second(2))
        stage.flash(until: second(3))
        #expect(shown.samples == [page])
    }

    private func prepare(_ flash: Sample) throws {
        #expect(try stage.setCaps(Caps("x/frame")))
        #expect(try !stage.setCaps(Caps("x/frame")))
        stage.keep(flash: flash)
    }

    // MARK: The end

    @Test func `is nothing more after its end`() throws {
        let hold = stage.hold(at: second(1))
        stage.close()
        try stage.show(frame(), for: hold)
        try stage.show(frame(), entered: second(2))
        try stage.show(frame(), asPage: stage.turn())
        stage.uncover()
        try prepare(frame())
        stage.flash(until: second(3))
        #expect(shown.samples.isEmpty && stage.hold(at: second(3)).last == nil)
    }
}

/// The samples that the stage showed, in order.
private final class Shown: Sendable {
    private let list = Mutex<[Sample]>([])

    var samples: [Sample] { list.withLock { $0 } }

    func add(_ sample: Sample) { list.withLock { $0.append(sample) } }
}
