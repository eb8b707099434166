// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit
import Testing

@testable import gst_capture

@Suite("Progress")
struct ProgressTests {
    private let start = ClockTime(nanoseconds: 1_000_000_000_000)

    private func slot(_ index: Int, _ cause: Slot.Cause = .schedule) -> Slot {
        Slot(index: index, due: start + .seconds(10 * index), cause: cause)
    }

    private func report(_ free: Int, _ left: Duration?) -> CaptureEvent {
        .storage(StorageReport(folder: "p", freeBytes: free, usedBytes: 0, timeLeft: left))
    }

    private func after(_ events: [CaptureEvent], of schedule: Schedule) -> Progress {
        events.reduce(into: Progress(schedule)) { $0.apply($1) }
    }

    @Test("The progress line has the slot, the next moment, missed slots and free space")
    func series() {
        let progress = after(
            [
                .willCapture(slot(0)), .missed(SlotRun(slot(0)), .noFrame), .missed(SlotRun(slot(1)), .backlog),
                report(1_230_000_000, nil),
            ],
            of: .every(.seconds(10), count: 12))
        let parts = progress.parts(at: start + .milliseconds(16_800))
        #expect(parts == ["slot 2/12", "next in 3.2 s", "2 missed", "1.23 GB free"])
    }

    @Test("The progress line shows the end of a long pause, and the length of a short one")
    func pause() {
        let first = Slot(index: 0, due: start + .seconds(3600))
        let parts = after([.resting(until: first)], of: .every(.seconds(1))).parts(at: start)
        #expect(parts.count == 2 && parts[1].wholeMatch(of: /next (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/) != nil)
        #expect(after([.resting(until: slot(3))], of: .every(.seconds(1))).parts(at: start)[1] == "next in 30 s")
    }

    @Test("The progress line follows a new schedule")
    func otherSchedule() {
        var progress = after([.willCapture(slot(0))], of: .every(.seconds(10)))
        progress.follow(.every(.seconds(2)), from: nil)
        progress.apply(.missed(SlotRun(slot(1)), .late))
        #expect(progress.parts(at: start + .seconds(11))[1] == "next in 1 s")
    }

    @Test("The progress line shows how long the disk lasts, unless for years, and that pictures wait for it")
    func disk() {
        let error = CaptureError(.inputOutput, "the disk is full")
        let events = [CaptureEvent.calledOff(slot(0)), report(12_000_000_000, .seconds(273_600))]
        let texts = ["slot 0", "12 GB free", "3 d 04 h left"]
        #expect(after(events, of: .every(.seconds(10))).parts(at: start) == texts)
        let lasting = after([report(12_000_000_000, .seconds(300_000_000))], of: .every(.seconds(10)))
        #expect(lasting.parts(at: start).last == "12 GB free")
        let paused = after(events + [.storagePaused(error, held: 1)], of: .every(.seconds(10)))
        #expect(paused.parts(at: start).dropFirst().first == "waiting for the disk")
        #expect(
            after(events + [.storagePaused(error, held: 1), .storageResumed(stored: 1)], of: .every(.seconds(10)))
                .parts(at: start) == texts)
    }

    @Test("The progress line counts all slots of a missed run")
    func run() {
        let run = SlotRun(from: slot(4), through: slot(18))
        let progress = after([.missed(run, .overslept)], of: .every(.seconds(10), count: 100))
        #expect(
            progress.parts(at: start + .seconds(180)) == ["slot 19/100", "next in 10 s", "15 missed"])
        #expect(Wording.slots(run) == "slots 5 to 19 have" && Wording.slots(SlotRun(slot(4))) == "slot 5 has")
    }

    @Test("The progress line of a series without an end has no total")
    func endless() {
        let progress = after([.missed(SlotRun(slot(6)), .noFrame)], of: .every(.seconds(10)))
        #expect(progress.parts(at: start).first == "slot 7")
    }

    @Test("The progress line of the last slot has no next moment")
    func last() {
        let progress = after([.missed(SlotRun(slot(1)), .noFrame)], of: .every(.seconds(10), count: 2))
        #expect(progress.parts(at: start) == ["slot 2/2", "1 missed"])
    }

    @Test("A triggered picture does not change the number of passed slots")
    func trigger() {
        let progress = after([.willCapture(slot(40, .trigger))], of: .every(.seconds(10), count: 50))
        #expect(progress.passed == 0)
    }

    @Test("The progress line of a single picture has no slot")
    func single() {
        #expect(after([], of: .single).parts(at: start) == ["opening the camera"])
        let counting = after([.countdown(slot(0), remaining: .milliseconds(2100))], of: .single)
        #expect(counting.parts(at: start) == ["in 3"])
    }

    @Test("The progress line shows a stall")
    func stall() {
        let stalled = after([.stalled(.seconds(3))], of: .single)
        #expect(stalled.parts(at: start) == ["no frame for 3 s"])
    }

    @Test("The progress line is not wider than the terminal", arguments: 0...40)
    func width(columns: Int) {
        let parts = ["slot 12/100", "next in 3.2 s", "last +4 ms"]
        let line = Progress.line(parts, columns: columns, separator: " · ")
        #expect(line.count <= columns)
        #expect("slot 12/100 · next in 3.2 s · last +4 ms".hasPrefix(line))
    }
}
