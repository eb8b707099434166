// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import Foundation
import PipelineKit
import StillKit
import Testing
import VideoKit

@testable import ClipKit

extension LiveFrames {
    @Suite("Clips of a camera", .timeLimit(.minutes(5)))
    struct ClipControllerTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func configuration(
            _ name: String = "%n.mp4", source: String = "videotestsrc is-live=true ! video/x-raw,width=320,height=240"
        ) throws -> ClipConfiguration {
            let names = try FileNameTemplate(parsing: folder.path + "/" + name)
            return ClipConfiguration(
                camera: CaptureConfiguration(source: .fragment(source), output: .caller), names: names)
        }

        /// Runs a recording, and calls `body` with each event.
        private func run(
            _ configuration: ClipConfiguration, hub: CameraHub = CameraHub(),
            _ body: (ClipController, ClipEvent) async -> Void = { _, _ in }
        ) async -> (summary: ClipSummary, events: [ClipEvent]) {
            let controller = ClipController(configuration, hub: hub)
            async let summary = controller.run()
            var events: [ClipEvent] = []
            for await event in controller.events {
                events.append(event)
                await body(controller, event)
            }
            return (await summary, events)
        }

        private func clips(_ events: [ClipEvent]) -> [Clip] {
            events.compactMap { if case .recorded(let clip) = $0 { clip } else { nil } }
        }

        @Test("A recording is scaled, turned, and as long as planned")
        func scaled() async throws {
            var configuration = try configuration()
            (configuration.video.width, configuration.plan.length) = (120, .seconds(1))
            configuration.camera.orientation = Orientation(rotation: .clockwise90, flip: .none)
            let (summary, events) = await run(configuration)
            let clip = try #require(clips(events).first)
            #expect(summary.ending == .completed && summary.clipCount == 1 && summary.frameCount == clip.frameCount)
            #expect((clip.width, clip.height) == (120, 160) && clip.ending == .elapsed)
            let report = try ClipFile.finalize(clip.path)
            #expect(report.wasOrdinary && report.tracks.map(\.sampleCount) == [clip.frameCount])
        }

        @Test("Pictures and a recording use the same camera, and the recording is whole")
        func shared() async throws {
            let hub = CameraHub()
            var configuration = try configuration()
            configuration.plan.length = .seconds(2)
            var still = configuration.camera
            still.schedule = .single
            let (summary, events) = await run(configuration, hub: hub) { controller, event in
                guard case .began = event else { return }
                let snap = CaptureController(still, hub: hub)
                #expect(await snap.run().captured == 1)
            }
            let clip = try #require(clips(events).first)
            #expect(summary.ending == .completed && summary.clipCount == 1)
            let report = try ClipFile.finalize(clip.path)
            #expect(report.wasOrdinary && report.tracks.map(\.sampleCount) == [clip.frameCount])
        }

        @Test("A segment follows the one before it without a gap")
        func segments() async throws {
            var configuration = try configuration()
            configuration.plan.segment = .milliseconds(500)
            configuration.plan.length = .seconds(2)
            let (summary, events) = await run(configuration)
            let clips = clips(events)
            #expect(clips.dropLast().allSatisfy { $0.ending == .segment } && clips.last?.ending == .elapsed)
            // On a busy machine, pictures are so far apart that there are fewer files.
            #expect(summary.clipCount == clips.count && clips.count >= 2)
            // A file lasts until the first picture of the next one, even if the encoder drops pictures.
            for (clip, next) in zip(clips, clips.dropFirst()) {
                let end = clip.start.adding(clip.duration)
                let gap =
                    Double(next.start.seconds - end.seconds) * 1e3
                    + (Double(next.start.nanoseconds) - Double(end.nanoseconds)) / 1e6
                #expect(abs(gap) < 2, "\(gap) ms")
            }
        }

        @Test("A camera that ends is a failure, and the file is whole")
        func ended() async throws {
            let pipe = Pipe()
            let source = """
                fdsrc fd=\(pipe.fileHandleForReading.fileDescriptor) blocksize=4608 ! \
                rawvideoparse width=64 height=48 format=i420 framerate=30/1
                """
            let begin = Signal()
            let camera = Task.detached {
                let frame = Data(repeating: 128, count: 4608)
                async let isBegun: Void = begin.wait()
                let pictures = Task {
                    while !Task.isCancelled {
                        try pipe.fileHandleForWriting.write(contentsOf: frame)
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                    try pipe.fileHandleForWriting.close()
                }
                await isBegun
                pictures.cancel()
                try await pictures.value
            }
            let (summary, events) = await run(try configuration(source: source)) { _, event in
                if case .began = event { begin.give() }
            }
            try await camera.value
            guard case .failed = summary.ending else {
                Issue.record("\(summary.ending)")
                return
            }
            let clip = try #require(clips(events).first)
            #expect(clip.frameCount > 0 && clip.ending.error != nil)
            #expect(try ClipFile.finalize(clip.path).wasOrdinary)
        }

        @Test("A folder that cannot be written ends the recording with its error")
        func unwritable() async throws {
            var configuration = try configuration()
            configuration.names = try FileNameTemplate(parsing: "/proc/none/%n.mp4")
            let (summary, events) = await run(configuration)
            guard case .failed(let error) = summary.ending else {
                Issue.record("\(summary.ending)")
                return
            }
            #expect(error.subject?.hasPrefix("/proc/none") == true && clips(events).isEmpty)
        }

        @Test("Numbers that files have are skipped")
        func numbers() async throws {
            _ = try folder.write("7.mp4", "a")
            var configuration = try configuration()
            configuration.plan.length = .milliseconds(300)
            let (_, events) = await run(configuration)
            #expect(clips(events).map(\.path) == [folder.path + "/8.mp4"])
        }

        @Test("A trigger before the first picture begins with it")
        func early() async throws {
            var configuration = try configuration()
            configuration.plan.trigger = ClipPlan.Trigger(before: .seconds(1), after: .seconds(30))
            let (summary, events) = await run(configuration) { controller, event in
                switch event {
                case .armed: await controller.trigger()
                case .began: await controller.stop()
                default: break
                }
            }
            #expect(summary.ending == .stopped && clips(events).count == 1)
        }
    }
}
