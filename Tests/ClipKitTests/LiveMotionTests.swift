// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import Foundation
import LedgerKit
import ScheduleKit
import StillKit
import Testing
import VideoKit

@testable import ClipKit

extension LiveFrames {
    @Suite("Live photos of a camera", .timeLimit(.minutes(5)))
    struct LiveMotionTests {
        private static let raw = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1"
        private static let jpeg = raw + " ! jpegenc"

        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func configuration(_ source: String) throws -> CaptureConfiguration {
            let names = try FileNameTemplate(parsing: folder.path + "/%n.MP.jpg")
            var configuration = CaptureConfiguration(source: .fragment(source), output: .files(names))
            configuration.motion = MotionSpan()
            return configuration
        }

        private func run(
            _ configuration: CaptureConfiguration, _ body: (CaptureEvent, CaptureController) async -> Void = { _, _ in }
        ) async throws -> [CaptureEvent] {
            try await LiveMotion.prepare()
            let controller = CaptureController(configuration, motion: LiveMotion(configuration))
            async let summary = controller.run()
            var events: [CaptureEvent] = []
            for await event in controller.events {
                events.append(event)
                await body(event, controller)
            }
            _ = await summary
            return events
        }

        private func photos(_ events: [CaptureEvent]) -> [Still] {
            events.compactMap { if case .livePhoto(let still, true) = $0 { still } else { nil } }
        }

        /// Returns the movie of a live photo.
        private func movie(_ still: Still) throws -> ClipFile.Report {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(still.path))).map { $0 }
            #expect(bytes.count == still.byteCount)
            let range = try #require(MotionPhoto.movie(in: bytes))
            let copy = folder.path + "/movie.mp4"
            try Data(bytes[range]).write(to: URL(fileURLWithPath: copy))
            return try ClipFile.finalize(copy)
        }

        @Test("A picture is joined by three seconds around it, from JPEG and from raw frames", arguments: [raw, jpeg])
        func joined(source: String) async throws {
            let events = try await run(configuration(source))
            let still = try #require(photos(events).first)
            let report = try movie(still)
            #expect(report.wasOrdinary && report.tracks.map(\.codec) == ["avc1"])
            // A busy machine captures and encodes fewer frames. H.264 begins with the key frame before that time.
            #expect(report.duration >= .milliseconds(1500) && report.duration <= .milliseconds(4200))
            let count = try #require(report.tracks.first).sampleCount
            #expect(count >= 20 && count <= 125, "\(count)")
        }

        @Test(
            "The picture has the tags of a Motion Photo, with its moment in the movie",
            .enabled(if: StillTool.has("exiftool"), StillTool.advice))
        func tags() async throws {
            let still = try #require(photos(try await run(try configuration(Self.jpeg))).first)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(still.path))).map { $0 }
            let tags = try await StillTool.tags(of: bytes, "a.jpg")
            #expect(tags["MotionPhoto"] == "1" && tags["Warning"] == nil)
            // The movie begins with the last frame before that, which a busy machine may deliver late.
            let moment = try #require(tags["MotionPhotoPresentationTimestampUs"].flatMap { Int($0) })
            #expect(moment >= 1_000_000 && moment <= 2_600_000)
        }

        @Test("The ledger of a series describes its files with their movies")
        func series() async throws {
            var configuration = try configuration(Self.jpeg)
            configuration.schedule = .every(.seconds(1), count: 3)
            let path = folder.path + "/a.ledger"
            configuration.ledger = path
            let events = try await run(configuration)
            // On a busy machine, a picture can be left without a movie.
            let photos = events.compactMap { if case .livePhoto(let still, _) = $0 { still } else { nil } }
            #expect(!photos.isEmpty && photos.allSatisfy { $0.ledgerLine != nil })
            let reader = try LedgerReader(path)
            try reader.eachLine { if $0.entry.still != nil { #expect($0.check() == .good) } }
            #expect(try reader.totals().captured == photos.count)
        }

        @Test("A capture that is canceled keeps its picture, without a movie")
        func canceled() async throws {
            let events = try await run(try configuration(Self.jpeg)) { event, controller in
                if case .captured = event { await controller.cancel() }
            }
            let stills = events.compactMap { if case .livePhoto(let still, false) = $0 { still } else { nil } }
            let path = try #require(stills.first?.path)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).map { $0 }
            #expect(try JPEGPicture(bytes).width == 320 && MotionPhoto.movie(in: bytes) == nil)
            let notices = events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
            #expect(notices.contains { $0.code == .movieNotJoined && $0.subject == path })
        }
    }
}
