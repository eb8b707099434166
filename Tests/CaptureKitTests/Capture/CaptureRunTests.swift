// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FrameMeasures
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

extension LiveFrames {
    @Suite("A capture from start to end", .timeLimit(.minutes(5)))
    struct CaptureRunTests {
        private static let small = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=100/1"

        private func configuration(_ source: String = small) -> CaptureConfiguration {
            var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
            // A machine that stands still for seconds is not a source that stalls.
            (configuration.settle, configuration.stallLimit) = (.off, .seconds(300))
            return configuration
        }

        /// Runs a capture to its end and returns its events and its summary.
        private func run(_ configuration: CaptureConfiguration) async -> ([CaptureEvent], CaptureSummary) {
            let controller = CaptureController(configuration)
            async let summary = controller.run()
            var events: [CaptureEvent] = []
            for await event in controller.events { events.append(event) }
            return (events, await summary)
        }

        @Test("A picture from before its trigger is a frame that was there already")
        func beforeTrigger() async throws {
            var configuration = configuration()
            (configuration.schedule, configuration.leadTime) = (.onRequest(count: 2), .milliseconds(200))
            let controller = CaptureController(configuration)
            async let summary = controller.run()
            var stills: [Still] = []
            for await event in controller.events {
                switch event {
                // Until then, frames of the time before it are kept.
                case .settled: await controller.trigger(after: .milliseconds(500))
                case .captured(let still):
                    if stills.isEmpty { await controller.trigger() }
                    stills.append(still)
                default: break
                }
            }
            #expect(await summary.captured == 2)
            // A machine that stands still delivers no frame for a while: the nearest one is still before the trigger.
            #expect(stills.allSatisfy { $0.offset < .milliseconds(-100) }, "\(stills.map(\.offset))")
        }

        @Test("A single picture emits opening, settled, will-capture, captured, stored and finished")
        func single() async throws {
            let (events, summary) = await run(configuration())
            #expect(events.map(\.name) == ["opening", "settled", "will-capture", "captured", "stored", "finished"])
            #expect(summary.ending == .completed && summary.captured == 1)
            let still = try #require(events.stills.first)
            #expect(still.bytes?.starts(with: [0xFF, 0xD8]) == true && still.path == nil)
            #expect([still.width, still.height] == [64, 48])
        }

        @Test("A burst captures the requested number of different frames, in order")
        func burst() async {
            var configuration = configuration()
            configuration.burst = 5
            let (events, summary) = await run(configuration)
            #expect(events.stills.map(\.burstIndex) == [0, 1, 2, 3, 4])
            #expect(zip(events.stills, events.stills.dropFirst()).allSatisfy { $0.offset < $1.offset })
            #expect(summary.captured == 5)
        }

        @Test("Slots of a series are due at even intervals, and each slot is accounted for once")
        func series() async {
            var configuration = configuration()
            configuration.schedule = .every(.milliseconds(50), count: 10, for: nil)
            let (events, summary) = await run(configuration)
            // A missed slot is reported at once, even while the pictures before it are still being stored.
            #expect(events.accounts.sorted() == Array(0..<10))
            #expect(summary.captured + summary.missed + summary.failed == 10)
            let dues = events.stills.map(\.slot)
            for (first, second) in zip(dues, dues.dropFirst()) {
                #expect(second.due - first.due == .milliseconds(50 * (second.index - first.index)))
            }
        }

        @Test("A trigger captures a picture outside the schedule, and finish() ends the series")
        func trigger() async {
            var configuration = configuration()
            configuration.schedule = .every(.seconds(3600), count: nil, for: nil)
            configuration.delay = .seconds(3600)
            let controller = CaptureController(configuration)
            async let summary = controller.run()
            for await event in controller.events {
                if case .settled = event { await controller.trigger() }
                if case .captured(let still) = event {
                    #expect(still.slot.cause == .trigger)
                    await controller.finish()
                }
            }
            #expect(await summary.captured == 1)
            #expect(await summary.ending == .stopped)
        }

        @Test("A trigger just after the camera is closed for a rest opens it again, and gets its picture")
        func triggerAtRest() async {
            var configuration = configuration()
            configuration.schedule = .every(.seconds(3600), count: nil, for: nil)
            (configuration.delay, configuration.standsBy) = (.seconds(3600), true)
            let controller = CaptureController(configuration)
            var (rests, stored, isResting) = (0, 0, false)
            let record = await CaptureRecord.of(controller) { event in
                switch event {
                case .resting: (rests, isResting) = (rests + 1, true)
                case .stored: stored += 1
                default: return
                }
                // With two pictures to be stored, the trigger would be missed.
                guard isResting, rests - 1 - stored < 2 else { return }
                isResting = false
                if rests <= 100 { await controller.trigger() } else { await controller.finish() }
            }
            #expect(record.captured.map(\.index) == Array(0..<100))
            #expect(record.summary.ending == .stopped && record.isConsistent)
        }

        @Test("A capture canceled at any event ends once, and accounts for every slot that had begun", arguments: 0..<8)
        func cancelled(after count: Int) async {
            var configuration = configuration()
            configuration.schedule = .every(.milliseconds(20), count: nil, for: nil)
            let controller = CaptureController(configuration)
            async let summary = controller.run()
            var (seen, begun, accounted, finished) = (0, Set<Int>(), Set<Int>(), 0)
            if count == 0 { await controller.cancel() }
            for await event in controller.events {
                seen += 1
                if seen == count { await controller.cancel() }
                switch event {
                case .willCapture(let slot): begun.insert(slot.index)
                case .captured(let still): accounted.insert(still.slot.index)
                case .missed(let slots, _): accounted.formUnion(slots.each.map(\.index))
                case .failed(let slot, _): accounted.insert(slot.index)
                case .finished: finished += 1
                default: break
                }
            }
            #expect(finished == 1)
            #expect(begun.subtracting(accounted).isEmpty)
            #expect(await summary.ending == .stopped)
        }

        @Test("The end of the source ends the series with an error")
        func ended() async {
            var configuration = configuration(Self.small.replacing("videotestsrc", with: "videotestsrc num-buffers=20"))
            configuration.schedule = .every(.milliseconds(20), count: nil, for: nil)
            let (events, summary) = await run(configuration)
            #expect(summary.failure?.code == .noCamera)
            #expect(events.last?.name == "finished")
        }

        @Test(
            "A source that cannot be built, or fails, ends with an error",
            arguments: ["nosuchelement", "filesrc", "( ("])
        func broken(source: String) async {
            let (events, summary) = await run(configuration(source))
            #expect(summary.failure != nil)
            #expect(summary.captured == 0)
            #expect(events.last?.name == "finished")
        }

        @Test("A silent source is reported as stalled, and then fails the capture")
        func silence() async {
            var configuration = configuration(Self.small + " ! valve drop=true")
            (configuration.stallLimit, configuration.giveUp) = (.milliseconds(100), .seconds(2))
            var isStalled = false
            // The capture of a machine that stands still from one limit to the other fails without a stall.
            while !isStalled {
                let (events, summary) = await run(configuration)
                #expect(summary.failure?.code == .noCamera)
                isStalled = events.contains { $0.name == "stalled" }
            }
        }

        @Test("Media other than raw video and JPEG is a configuration error")
        func oddMedia() async {
            let (_, summary) = await run(configuration("audiotestsrc is-live=true"))
            #expect(summary.firstFailure?.code == .configuration || summary.failure?.code == .configuration)
        }

        @Test("The picture is the frame nearest the moment, within half a frame")
        func nearest() async {
            var configuration = configuration(
                "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=4/1")
            configuration.delay = .milliseconds(600)
            // A machine that stands still leaves frames out. The test ends when a round has the nearest frame.
            var isNear = false
            while !isNear {
                let (events, _) = await run(configuration)
                #expect(events.stills.count == 1)
                isNear = events.stills.allSatisfy { abs($0.offset.nanoseconds) <= 126_000_000 }
            }
        }
    }
}

extension CaptureEvent {
    fileprivate var name: String {
        switch self {
        case .opening: "opening"
        case .settled: "settled"
        case .countdown: "countdown"
        case .willCapture: "will-capture"
        case .captured: "captured"
        case .stored: "stored"
        case .missed: "missed"
        case .failed: "failed"
        case .stalled: "stalled"
        case .notice: "notice"
        case .finished: "finished"
        default: "other"
        }
    }
}

extension [CaptureEvent] {
    fileprivate var stills: [Still] {
        compactMap { if case .captured(let still) = $0 { still } else { nil } }
    }

    /// The slots that were captured, missed or failed, in the order of their events.
    fileprivate var accounts: [Int] {
        flatMap { event -> [Int] in
            switch event {
            case .captured(let still): [still.slot.index]
            case .missed(let slots, _): slots.each.map(\.index)
            case .failed(let slot, _): [slot.index]
            default: []
            }
        }
    }
}

extension CaptureSummary {
    fileprivate var failure: CaptureError? {
        if case .failed(let error) = ending { error } else { nil }
    }
}
