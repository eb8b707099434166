// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import Foundation
import FrameMeasures
import ScheduleKit
import StillKit
import Testing

extension LiveFrames {
    @Suite("The end of a capture", .timeLimit(.minutes(5)))
    struct CaptureEndingTests {
        /// Runs a capture to its end. A source that is silent for seconds does not stall: the machine may stand still.
        private static func run(
            _ source: String = CaptureRecord.source, _ change: (inout CaptureConfiguration) -> Void = { _ in },
            onEvent: @escaping @Sendable (CaptureEvent, CaptureController) async -> Void = { _, _ in }
        ) async -> CaptureRecord {
            await CaptureRecord.of(source) {
                $0.stallLimit = .seconds(300)
                change(&$0)
            } onEvent: { event, controller in
                await onEvent(event, controller)
            }
        }

        @Test("The frames of a source that ends are captured before its end is reported", arguments: 0..<10)
        func shortSource(round: Int) async {
            let record = await Self.run("videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48")
            #expect(record.summary.ending == .completed)
            #expect(record.captured.count == 1)
            #expect(record.isConsistent)
        }

        @Test("A source that ends early ends the series, and the summary counts the unreached slots")
        func endOfSeries() async {
            let record = await Self.run("videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48") {
                $0.schedule = .every(.seconds(3600), count: 4)
            }
            #expect(record.failure == "the source ended")
            #expect(record.captured.count == 1 && record.summary.unreached == 3)
            #expect(record.isConsistent)
        }

        @Test("A source that ends before the picture has settled is an error")
        func endWhileSettling() async {
            let record = await Self.run("videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48") {
                $0.settle = .fixed(.seconds(60))
            }
            #expect(record.failure == "the source ended")
            #expect(record.captured.isEmpty && record.isConsistent)
        }

        @Test("A burst whose source ends early keeps its pictures and reports that it is short")
        func shortBurst() async {
            let record = await Self.run(
                "videotestsrc is-live=true num-buffers=3 ! video/x-raw,width=64,height=48,framerate=10/1"
            ) { $0.burst = 5 }
            #expect((1...3).contains(record.captured.count))
            #expect(record.failed.count == 1)
            #expect(record.summary.firstFailure?.message.contains("of 5 pictures") == true)
            #expect(record.missed.isEmpty && record.isConsistent)
        }

        @Test("A burst longer than the interval is complete, and every slot has its burst or is missed")
        func longBurst() async {
            var count = 0
            // A machine that stands still may miss all slots but one. The test ends when a series has several bursts.
            while count < 2 {
                let record = await Self.run {
                    // Ten frames a second: each burst takes the time of two slots.
                    $0.burst = 5
                    $0.schedule = .every(.milliseconds(300), count: 8)
                }
                let taken = Dictionary(grouping: record.captured, by: \.index).mapValues(\.count)
                #expect(taken.values.allSatisfy { $0 == 5 })
                #expect((Array(taken.keys) + record.missed.map(\.index)).sorted() == Array(0..<8))
                #expect(record.failed.isEmpty)
                #expect(record.summary.ending == .completed && record.isConsistent)
                count = taken.count
            }
        }

        @Test("A capture that is stopped before it begins ends at once", arguments: [true, false])
        func stoppedBefore(byCancel: Bool) async {
            let controller = CaptureController(
                CaptureConfiguration(source: .fragment(CaptureRecord.source), output: .caller))
            if byCancel { await controller.cancel() } else { await controller.finish() }
            let summary = await controller.run()
            #expect(summary.ending == .stopped && summary.unreached == 1)
        }

        @Test("A capture that is stopped while the camera opens closes the camera", arguments: [true, false])
        func stoppedWhileOpening(byCancel: Bool) async throws {
            let folder = try TemporaryFolder()
            let pipe = folder.path + "/camera"
            #expect(mkfifo(pipe, 0o600) == 0)
            let record = await Self.run(
                "filesrc location=\(pipe)",
                onEvent: { event, controller in
                    guard case .opening = event else { return }
                    // Opening the pipe blocks until a writer opens it, as a driver may wait for its hardware.
                    let end = await Self.whenOpened(pipe)
                    if byCancel { await controller.cancel() } else { await controller.finish() }
                    close(end)
                })
            #expect(record.summary.ending == .stopped && record.isConsistent)
            #expect(await Self.isUnread(pipe))
        }

        @Test("Every slot is accounted for, stored or not, when the capture is canceled twice", arguments: 0..<5)
        func stoppedTwice(round: Int) async {
            let record = await Self.run(
                "videotestsrc is-live=true pattern=snow ! video/x-raw,width=1280,height=720,framerate=30/1"
            ) {
                $0.still = .png
                $0.schedule = .every(.milliseconds(40))
            } onEvent: { event, controller in
                guard case .willCapture(let slot) = event, slot.index >= 2 else { return }
                await controller.cancel()
                await controller.cancel()
            }
            #expect(record.summary.ending == .stopped && record.isConsistent)
            let accounted = Set(record.captured + record.missed + record.failed)
            #expect(accounted.count == record.captured.count + record.missed.count + record.failed.count)
            #expect(accounted.isSuperset(of: record.begun))
        }

        @Test("A burst that is canceled keeps its pictures, and its slot is not missed")
        func stoppedBurst() async {
            let record = await Self.run {
                $0.burst = 1000
            } onEvent: { event, controller in
                if case .captured(let still) = event, still.burstIndex == 0 { await controller.cancel() }
            }
            #expect(record.summary.ending == .stopped && !record.captured.isEmpty)
            #expect(record.missed.isEmpty && record.failed.isEmpty && record.isConsistent)
        }

        @Test("A source that falls silent is reported as stalled, and then fails the capture")
        func silence() async {
            var isStalled = false
            // The capture of a machine that stands still from one limit to the other fails without a stall.
            while !isStalled {
                let record = await Self.run("appsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16") {
                    ($0.stallLimit, $0.giveUp) = (.milliseconds(200), .seconds(3))
                }
                #expect(record.failure?.contains("has delivered no frame") == true)
                #expect(record.summary.unreached == 1 && record.isConsistent)
                isStalled = record.events.contains { if case .stalled = $0 { true } else { false } }
            }
        }

        @Test("A source whose timestamps fall behind does not delay the capture")
        func slowSource() async throws {
            // A frame lasts 1 ms by its timestamps but takes 50 ms: the timestamps need 50 s to advance by a second.
            let record = await Self.run(
                "videotestsrc ! video/x-raw,width=64,height=48,framerate=1000/1 ! identity sleep-time=50000"
            ) { $0.delay = .seconds(1) }
            #expect(record.summary.ending == .completed && record.captured.count == 1)
        }

        @Test("A damaged frame does not end a stream of pictures")
        func damagedStream() async {
            let record = await Self.run(
                "fakesrc sizetype=fixed sizemax=64 ! image/jpeg,framerate=50/1 ! identity sleep-time=20000"
            ) {
                $0.output = .standardOutput
                $0.schedule = .every(.milliseconds(100), count: 3)
                // Without recovery the last slot waits for a frame, however slow the machine is.
                $0.recovery = .off
            }
            #expect(record.summary.ending == .completed && record.isConsistent)
            #expect(record.failed.count + record.missed.count == 3 && !record.failed.isEmpty)
        }

        @Test("A damaged frame is skipped, and the next frame of the slot is captured")
        func damagedFrame() async throws {
            let folder = try TemporaryFolder()
            let still = await Self.run().events.lazy.compactMap { event in
                if case .captured(let still) = event { still.bytes } else { nil }
            }.first
            let whole = try #require(still)
            // The first frame, which is the nearest to the slot, is truncated. All others are whole, however late they
            // come.
            for index in 0..<100 {
                let bytes = index == 0 ? Array(whole.dropLast(100)) : whole
                try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(index).jpg"))
            }
            let record = await Self.run(
                "multifilesrc location=\(folder.path)/%d.jpg caps=image/jpeg,framerate=2/1 ! identity sleep-time=500000"
            )
            #expect(record.summary.ending == .completed && record.isConsistent)
            #expect(record.failed.isEmpty && record.captured.count == 1)
        }

        /// Returns the write end of a pipe when a reader has opened the pipe.
        private static func whenOpened(_ pipe: String) async -> Int32 {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: open(pipe, O_WRONLY)) }
            }
        }

        /// Returns `true` when nothing has a pipe open for reading. A child that a parallel test starts has copies of all
        /// descriptors for a moment.
        private static func isUnread(_ pipe: String) async -> Bool {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let end = open(pipe, O_WRONLY | O_NONBLOCK)
                    guard end >= 0 else { return continuation.resume(returning: errno == ENXIO) }
                    // Without events, poll(2) waits for the end of the last reader. A leak ends the wait after a minute.
                    var entry = pollfd(fd: end, events: 0, revents: 0)
                    let count = poll(&entry, 1, 60_000)
                    close(end)
                    continuation.resume(returning: count == 1)
                }
            }
        }
    }
}
