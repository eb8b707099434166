// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import StillKit
import Testing

@testable import CaptureKit

@Suite("Jobs on one hub", .timeLimit(.minutes(5)))
struct CameraHubTests {
    /// A camera whose frames differ: a ball moves in them.
    private static let camera =
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=GRAY8,width=64,height=48,framerate=60/1"

    private static func configuration(_ schedule: Schedule) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment(camera), output: .caller)
        (configuration.settle, configuration.schedule) = (.off, schedule)
        // A machine that stands still for seconds does not lose the camera.
        configuration.stallLimit = .seconds(300)
        return configuration
    }

    private static func lease(_ hub: CameraHub, _ schedule: Schedule = .single) -> CameraLease {
        hub.lease(configuration(schedule), for: "a test")
    }

    @Test("The second lease gets the camera of the first, which stays open until the last one ends")
    func sharing() async throws {
        let hub = CameraHub()
        let (first, second) = (Self.lease(hub), Self.lease(hub))
        let camera = try #require(await first.opened())
        let shared = try #require(await second.opened())
        #expect(camera.session === shared.session)
        await first.close()
        #expect(await FrameFeed(shared.session).next() != nil)
        await second.close()
        #expect(await FrameFeed(shared.session).next() == nil)
        // The next lease opens the camera again.
        let third = Self.lease(hub)
        let reopened = try #require(await third.opened())
        #expect(reopened.session !== camera.session)
        await third.close()
    }

    @Test("A camera rests only when no lease needs its frames")
    func rest() async throws {
        let hub = CameraHub()
        let (first, second) = (Self.lease(hub), Self.lease(hub))
        let camera = try #require(await first.opened())
        _ = try #require(await second.opened())
        await first.rest()
        #expect(await FrameFeed(camera.session).next() != nil)
        await second.rest()
        #expect(await FrameFeed(camera.session).next() == nil)
        let reopened = try #require(await first.opened())
        #expect(reopened.session !== camera.session)
        await first.close()
        await second.close()
    }

    /// Tasks of one actor start in the order in which they were created: the rest is requested before the opening.
    @Test("A lease that is opened at once after a rest gets the camera again", arguments: [true, false])
    @MainActor
    func openedAfterRest(isAlone: Bool) async throws {
        let hub = CameraHub()
        let (lease, other) = (Self.lease(hub), Self.lease(hub))
        let first = try #require(await lease.opened())
        if !isAlone { _ = try #require(await other.opened()) }
        for pause in 0..<20 {
            let rest = Task { await lease.rest() }
            // The rest has begun, is about to close the camera, or has closed it.
            for _ in 0...pause * pause { await Task.yield() }
            let camera = try #require(await lease.opened())
            await rest.value
            #expect(isAlone || camera.session === first.session)
            #expect(await FrameFeed(camera.session).next() != nil, "after \(pause)")
        }
        await lease.close()
        await other.close()
    }

    @Test("A lease that has ended does not open the camera")
    func ended() async {
        let lease = Self.lease(CameraHub())
        await lease.close()
        #expect(await lease.opened() == nil)
    }

    @Test(
        "The scene draws one frame for a single picture of the only job, and more if other jobs may join",
        arguments: [true, false])
    func scene(isOnly: Bool) async throws {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.settle = .off
        let lease = CameraHub().lease(configuration, for: "a test", isOnly: isOnly)
        let feed = FrameFeed(try #require(await lease.opened()).session)
        var count = 0
        while count < 3, await feed.next() != nil { count += 1 }
        #expect((count < 3) == isOnly)
        await lease.close()
    }

    @Test("A lease that joins while the camera settles gets the camera when the picture is steady")
    func joining() async throws {
        let hub = CameraHub()
        var configuration = Self.configuration(.single)
        configuration.settle = .fixed(.milliseconds(500))
        let first = hub.lease(configuration, for: "a test")
        let second = Self.lease(hub)
        await first.open()
        let joined = try #require(await second.opened())
        let opened = try #require(await first.opened())
        #expect(joined.session === opened.session)
        await first.close()
        await second.close()
    }

    @Test("A preview whose sink cannot start ends its job without the camera; the other job continues")
    func brokenSink() async throws {
        let hub = CameraHub()
        let first = Self.lease(hub)
        let camera = try #require(await first.opened())
        var other = Self.configuration(.single)
        other.preview = PreviewRequest()
        other.preview?.sink = .elements("fakesink state-error=null-to-ready")
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(await FrameFeed(camera.session).next() != nil)
        await first.close()
    }

    @Test(
        "A preview that cannot be linked to the camera ends its job; the other job continues", arguments: [true, false])
    func brokenLens(isOpen: Bool) async throws {
        let hub = CameraHub()
        let first = Self.lease(hub)
        let open = isOpen ? await first.opened() : nil
        if !isOpen { await first.open() }
        var other = Self.configuration(.onRequest())
        other.preview = PreviewRequest()
        other.preview?.sink = .none
        // The pipeline from the camera to the screen scales frames to this width, which GStreamer refuses.
        other.preview?.width = 0
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed(let error) = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(error.subject == "preview")
        let camera = isOpen ? open : await first.opened()
        #expect(await FrameFeed(try #require(camera).session).next() != nil)
        await first.close()
    }

    @Test("A preview that fails later ends alone: its job and the other job continue")
    func failingPreview() async throws {
        let hub = CameraHub()
        let first = Self.lease(hub)
        let camera = try #require(await first.opened())
        var other = Self.configuration(.onRequest(count: 1))
        other.preview = PreviewRequest()
        other.preview?.sink = .elements("identity error-after=2 ! fakesink")
        let controller = CaptureController(other, hub: hub)
        let record = await CaptureRecord.of(controller) { event in
            guard case .previewEnded(let error?) = event else { return }
            #expect(error.subject == "preview")
            await controller.trigger()
        }
        #expect(record.captured.count == 1 && record.summary.ending == .completed)
        #expect(await FrameFeed(camera.session).next() != nil)
        await first.close()
    }

    @Test("A job without recovery ends when the camera is lost, and a job with recovery gets it again")
    func recovery() async throws {
        let hub = CameraHub()
        let source = CaptureConfiguration.Source.fragment(
            "videotestsrc is-live=true num-buffers=120 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=60/1")
        var picture = CaptureConfiguration(source: source, output: .caller)
        // The camera is lost when its stream ends. A machine that stands still loses no camera.
        (picture.settle, picture.recovery, picture.stallLimit) = (.off, .off, .seconds(300))
        var series = picture
        series.recovery = .always
        let (weak, strong) = (hub.lease(picture, for: "a picture"), hub.lease(series, for: "a series"))
        _ = try #require(await strong.opened())
        await weak.open()
        for await event in weak.events {
            if case .gone = event { break }
        }
        for await event in strong.events {
            if case .recovered = event { break }
        }
        await weak.close()
        await strong.close()
    }

    @Test("A lost session is released, although a preview showed it")
    func release() async throws {
        let source = "videotestsrc is-live=true num-buffers=120 ! video/x-raw,width=64,height=48,framerate=60/1"
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        (configuration.settle, configuration.recovery, configuration.stallLimit) = (.off, .always, .seconds(300))
        var request = PreviewRequest()
        request.sink = .elements("fakesink sync=false")
        let screen = PreviewScreen(request, nil, nil, orientation: .upright)
        try await screen.start()
        let lease = CameraHub().lease(configuration, for: "a test", preview: screen)
        weak let session = try #require(await lease.opened()).session
        for await event in lease.events {
            if case .recovered = event { break }
        }
        // The tasks that watched the lost camera have ended.
        #expect(session == nil)
        await lease.close()
        await screen.close()
    }

    @Test("Leases that open, rest and close in any order leave the camera usable", arguments: 1...4)
    func walk(seed: UInt64) async throws {
        let hub = CameraHub()
        await withTaskGroup(of: Void.self) { jobs in
            for job in 0..<4 {
                jobs.addTask {
                    var random = SplitMix(seed << 8 + UInt64(job))
                    for _ in 0..<10 {
                        let lease = Self.lease(hub)
                        for _ in 0..<Int.random(in: 0...3, using: &random) {
                            switch Int.random(in: 0...2, using: &random) {
                            case 0: await lease.open()
                            case 1: await lease.rest()
                            default:
                                await lease.rest()
                                _ = await lease.opened()
                            }
                        }
                        if Bool.random(using: &random) { await lease.close() }
                    }
                }
            }
        }
        let last = Self.lease(hub)
        let camera = try #require(await last.opened())
        #expect(await FrameFeed(camera.session).next() != nil)
        await last.close()
        // Leases that were forgotten end soon, and the camera with the last one.
        let feed = FrameFeed(camera.session)
        while await feed.next() != nil {}
    }

    @Test("A job that contradicts an earlier one is refused, and the earlier one continues")
    func refusal() async throws {
        let hub = CameraHub()
        let first = Self.lease(hub)
        let camera = try #require(await first.opened())
        var other = Self.configuration(.single)
        other.request.width = 640
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed(let error) = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(error.message == "is used by a test with another width")
        #expect(await FrameFeed(camera.session).next() != nil)
        await first.close()
    }

    @Test("The error of a refused job names a job that still runs, also after the first job has ended")
    func refusalByLaterJob() async throws {
        let hub = CameraHub()
        let first = hub.lease(Self.configuration(.single), for: "a picture")
        let second = hub.lease(Self.configuration(.single), for: "a preview")
        _ = try #require(await first.opened())
        _ = try #require(await second.opened())
        await first.close()
        var other = Self.configuration(.single)
        other.request.width = 640
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed(let error) = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(error.message == "is used by a preview with another width")
        #expect(error.advice == "end a preview, or leave out --width")
        await second.close()
    }

    @Test("A series keeps its camera while other jobs preview, capture and leave")
    func series() async throws {
        let hub = CameraHub()
        let series = CaptureController(Self.configuration(.every(.milliseconds(100), count: 60, for: nil)), hub: hub)
        async let summary = series.run()
        var random = SplitMix(1)
        for _ in 0..<40 {
            var configuration = Self.configuration(.single)
            if Bool.random(using: &random) {
                configuration.preview = PreviewRequest()
                configuration.preview?.sink = .elements("fakesink sync=false")
            }
            let other = await CaptureController(configuration, hub: hub).run()
            #expect(other.captured == 1, "\(other.ending)")
        }
        let result = await summary
        // A busy machine may miss a slot, but no picture fails, and the camera is not lost.
        #expect(result.captured + result.missed == 60 && result.failed == 0, "\(result)")
    }
}
