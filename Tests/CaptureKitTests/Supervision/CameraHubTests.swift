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
        return configuration
    }

    private static func lease(_ hub: CameraHub, _ schedule: Schedule = .single) -> CameraLease {
        hub.lease(configuration(schedule), for: "a test")
    }

    private static func opened(_ lease: CameraLease) async -> OpenCamera? {
        await lease.open()
        for await event in lease.events {
            switch event {
            case .ready(let camera, _): return camera
            case .gone: return nil
            default: break
            }
        }
        return nil
    }

    @Test("The second lease gets the camera of the first, which stays open until the last one ends")
    func sharing() async throws {
        let hub = CameraHub()
        let (first, second) = (Self.lease(hub), Self.lease(hub))
        let camera = try #require(await Self.opened(first))
        let shared = try #require(await Self.opened(second))
        #expect(camera.session === shared.session)
        await first.close()
        #expect(await FrameFeed(shared.session).next() != nil)
        await second.close()
        #expect(await FrameFeed(shared.session).next() == nil)
        // The next lease opens the camera again.
        let third = Self.lease(hub)
        let reopened = try #require(await Self.opened(third))
        #expect(reopened.session !== camera.session)
        await third.close()
    }

    @Test("A camera rests only when no lease needs its frames")
    func rest() async throws {
        let hub = CameraHub()
        let (first, second) = (Self.lease(hub), Self.lease(hub))
        let camera = try #require(await Self.opened(first))
        _ = try #require(await Self.opened(second))
        await first.rest()
        #expect(await FrameFeed(camera.session).next() != nil)
        await second.rest()
        #expect(await FrameFeed(camera.session).next() == nil)
        let reopened = try #require(await Self.opened(first))
        #expect(reopened.session !== camera.session)
        await first.close()
        await second.close()
    }

    @Test("A lease that has ended opens nothing")
    func ended() async {
        let lease = Self.lease(CameraHub())
        await lease.close()
        #expect(await Self.opened(lease) == nil)
    }

    @Test("A lease that joins while the camera settles gets the camera when the picture is steady")
    func joining() async throws {
        let hub = CameraHub()
        var configuration = Self.configuration(.single)
        configuration.settle = .fixed(.milliseconds(500))
        let first = hub.lease(configuration, for: "a test")
        let second = Self.lease(hub)
        await first.open()
        let joined = try #require(await Self.opened(second))
        let opened = try #require(await Self.opened(first))
        #expect(joined.session === opened.session)
        await first.close()
        await second.close()
    }

    @Test("A preview that cannot start ends its job, and the other continues")
    func brokenPreview() async throws {
        let hub = CameraHub()
        let first = Self.lease(hub)
        let camera = try #require(await Self.opened(first))
        var other = Self.configuration(.single)
        other.preview = PreviewRequest()
        other.preview?.sink = .elements("fakesink state-error=null-to-ready")
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(await FrameFeed(camera.session).next() != nil)
        await first.close()
    }

    @Test("A job without recovery ends at a loss, and one with recovery gets the camera again")
    func recovery() async throws {
        let hub = CameraHub()
        let source = CaptureConfiguration.Source.fragment(
            "videotestsrc is-live=true num-buffers=120 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=60/1")
        var picture = CaptureConfiguration(source: source, output: .caller)
        (picture.settle, picture.recovery) = (.off, .off)
        var series = picture
        series.recovery = .always
        let (weak, strong) = (hub.lease(picture, for: "a picture"), hub.lease(series, for: "a series"))
        _ = try #require(await Self.opened(strong))
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
        (configuration.settle, configuration.recovery) = (.off, .always)
        var request = PreviewRequest()
        request.sink = .elements("fakesink sync=false")
        let screen = PreviewScreen(request, nil, nil, orientation: .upright)
        try await screen.start()
        let lease = CameraHub().lease(configuration, for: "a test", preview: screen)
        weak let session = try #require(await Self.opened(lease)).session
        for await event in lease.events {
            if case .recovered = event { break }
        }
        #expect(session == nil, "the session of the lost camera")
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
                                _ = await Self.opened(lease)
                            }
                        }
                        if Bool.random(using: &random) { await lease.close() }
                    }
                }
            }
        }
        let last = Self.lease(hub)
        let camera = try #require(await Self.opened(last))
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
        let camera = try #require(await Self.opened(first))
        var other = Self.configuration(.single)
        other.request.width = 640
        let summary = await CaptureController(other, hub: hub).run()
        guard case .failed(let error) = summary.ending else { return #expect(Bool(false), "\(summary.ending)") }
        #expect(error.message == "is used by a test with another width")
        #expect(await FrameFeed(camera.session).next() != nil)
        await first.close()
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
