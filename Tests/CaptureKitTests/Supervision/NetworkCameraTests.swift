// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A network camera", .timeLimit(.minutes(5)))
struct NetworkCameraTests {
    private static func source(_ camera: HTTPCamera) -> String {
        "souphttpsrc location=\(camera.address("/stream")) is-live=true do-timestamp=true ! multipartdemux ! jpegparse"
    }

    @Test("A series continues when the camera has ended its stream, and counts the loss")
    func restarts() async throws {
        let picture = try await JPEGFile.made().bytes
        let camera = try #require(HTTPCamera { _, _ in .stream(picture: picture, count: 12) })
        defer { camera.stop() }
        // On a busy machine a stream can end before its first picture is chosen: the next one is as good.
        let left = Mutex<Set<String>>(["captured", "recovered"])
        let record = await CaptureRecord.of(Self.source(camera)) {
            ($0.schedule, $0.stallLimit) = (.every(.milliseconds(100), count: 1_000_000), .seconds(300))
        } onEvent: { event, controller in
            switch event {
            case .captured: left.withLock { _ = $0.remove("captured") }
            case .recovered: left.withLock { _ = $0.remove("recovered") }
            default: return
            }
            if left.withLock({ $0.isEmpty }) { await controller.finish() }
        }
        #expect(record.summary.ending == .stopped)
        let losses = record.events.compactMap { if case .lost(let error) = $0 { error } else { nil } }
        #expect(losses.first?.message == "the camera ended its stream")
        #expect(losses.first?.subject == camera.address("/stream"))
        #expect(!record.captured.isEmpty && camera.requests.count >= 2)
    }

    @Test("A camera that sends one picture for each request is asked again and again")
    func pictures() async throws {
        let picture = try await JPEGFile.made().bytes
        let camera = try #require(
            HTTPCamera { _, _ in .content(status: 200, media: "image/jpeg", picture) })
        defer { camera.stop() }
        let address = camera.address("/snapshot.jpg")
        // On a busy machine any number of slots can be missed.
        let captured = Mutex(0)
        let record = await CaptureRecord.of(
            "souphttpsrc location=\(address) is-live=true do-timestamp=true ! jpegparse"
        ) {
            ($0.schedule, $0.stallLimit) = (.every(.milliseconds(500), count: 1_000_000), .seconds(300))
        } onEvent: { event, controller in
            guard case .captured = event else { return }
            let count = captured.withLock { count in
                count += 1
                return count
            }
            if count == 2 { await controller.finish() }
        }
        #expect(record.summary.ending == .stopped)
        #expect(!record.events.contains { if case .lost = $0 { true } else { false } })
        #expect(record.stills.count >= 2 && camera.requests.count >= record.stills.count)
    }

    @Test("A stream without a boundary before its first picture is read")
    func noFirstBoundary() async throws {
        let picture = try await JPEGFile.made().bytes
        let camera = try #require(HTTPCamera { _, _ in .streamWithoutFirstBoundary(picture: picture, count: 50) })
        defer { camera.stop() }
        let address = camera.address()
        let record = await CaptureRecord.of(
            "souphttpsrc location=\(address) is-live=true do-timestamp=true ! jpegparse")
        #expect(record.summary.ending == .completed && record.stills.count == 1)
    }

    @Test("A single picture ends with the stream, as its recovery is off")
    func single() async throws {
        let camera = try #require(HTTPCamera { _, _ in .content(status: 404, media: "text/html", [1]) })
        defer { camera.stop() }
        let record = await CaptureRecord.of(Self.source(camera))
        guard case .failed(let error) = record.summary.ending else {
            return #expect(Bool(false), "\(record.summary.ending)")
        }
        #expect(error.message == "the camera has nothing at this path (404)")
    }

    @Test("Events and dry runs do not have the password of an address")
    func password() async throws {
        let picture = try await JPEGFile.made().bytes
        let camera = try #require(HTTPCamera { _, _ in .stream(picture: picture, count: 100) })
        defer { camera.stop() }
        let address = "http://ann:s3cret@127.0.0.1:\(camera.port)/stream"
        let record = await CaptureRecord.of("souphttpsrc location=\(address) is-live=true ! multipartdemux ! jpegparse")
        let lines = record.events.compactMap { $0.json?.text } + record.events.map { "\($0)" }
        #expect(lines.contains { $0.contains("http://***@127.0.0.1") })
        #expect(!lines.contains { $0.contains("s3cret") })
        #expect(record.stills.count == 1)
    }
}
