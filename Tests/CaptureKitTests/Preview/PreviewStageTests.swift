// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite struct `The stage of a preview` {
    private let shown = Shown()
    private let stage: PreviewStage

    init() {
        stage = PreviewStage { [shown] in shown.add($0) }
    }

    private func frame() throws -> Sample { try Sample(Buffer([0]), caps: Caps("x/frame")) }

    private func second(_ number: UInt64) -> ClockTime { ClockTime(nanoseconds: number * 1_000_000_000) }

    @Test func `The stage shows each frame, and the painted frame during a hold`() throws {
        let (live, stand, next) = try (frame(), frame(), frame())
        stage.show(live, entered: second(1))
        let hold = stage.hold(at: second(2))
        #expect(hold.last == live)
        stage.show(stand, for: hold)
        stage.show(next, entered: second(3))
        #expect(shown.samples == [live, stand, next])
    }

    @Test func `A frame that came before a hold is not shown during the hold`() throws {
        let (live, late, stand) = try (frame(), frame(), frame())
        stage.show(live, entered: second(1))
        let hold = stage.hold(at: second(2))
        stage.show(late, entered: second(2))
        stage.show(stand, for: hold)
        stage.show(late, entered: second(1))
        #expect(shown.samples == [live, stand])
    }

    @Test func `A frame whose arrival time is unknown is shown`() throws {
        let frame = try frame()
        _ = stage.hold(at: second(2))
        stage.show(frame, entered: nil)
        #expect(shown.samples == [frame])
    }

    @Test func `A frame of a hold is not shown if it is painted too late`() throws {
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

    @Test func `A page is shown from when it is painted until the pages end, and hides the frames`() throws {
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

    @Test func `The newest page is shown, and no page that is painted too late`() throws {
        let (first, second, live) = try (frame(), frame(), frame())
        let turns = [stage.turn(), stage.turn()]
        stage.show(second, asPage: turns[1])
        stage.show(first, asPage: turns[0])
        stage.uncover()
        stage.show(second, asPage: turns[1])
        stage.show(live, entered: self.second(1))
        #expect(shown.samples == [second, live])
    }

    @Test func `A page stays during a hold, and the frame of the hold is shown after the page`() throws {
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

    @Test func `A page before the first frame stays until that frame`() throws {
        let (page, live) = try (frame(), frame())
        stage.show(page, asPage: stage.turn())
        stage.uncover()
        stage.show(live, entered: second(1))
        #expect(shown.samples == [page, live])
    }

    // MARK: Flash

    @Test func `A flash hides frames until its end, and then the last frame is shown`() throws {
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

    @Test func `A frame from after the flash is shown before the end of the flash is handled`() throws {
        let (flash, next) = try (frame(), frame())
        try prepare(flash)
        stage.flash(until: second(2))
        stage.show(next, entered: second(2))
        stage.endFlash(at: second(3))
        #expect(shown.samples == [flash, next])
    }

    @Test func `No flash is shown on a page, during a hold, or for frames of another format`() throws {
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

    @Test func `The stage shows nothing after its end`() throws {
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
