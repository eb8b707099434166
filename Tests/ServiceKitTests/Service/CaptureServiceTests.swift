// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing

@testable import ServiceKit

@Suite("Capture service", .timeLimit(.minutes(2)))
struct CaptureServiceTests {
    private static let avatar =
        "  garden: { source: FRAMES }\nsessions:\n  avatar: { camera: garden, output: FOLDER }\n"

    @Test("A series captures its pictures, and its events name them by ID and not by path")
    func series() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  hourly: { interval: 1h, output: FOLDER/%n.jpg }
            """
        try await TestService.run(cameras) { test in
            #expect(try await test.next("captured")["still"] == "hourly-1")
            try await test.service.trigger("hourly")
            let second = try await test.next("captured")
            #expect(second["still"] == "hourly-2" && second["file"] == nil && second.camera == "garden")
        }
    }

    @Test("A series is completed with its last picture")
    func completed() async throws {
        let cameras =
            "  garden: { source: FRAMES, series: { once: { interval: 1h, count: 1, output: FOLDER/%n.jpg } } }\n"
        try await TestService.run(cameras) { test in
            try await test.state(.completed, of: "once")
            let status = try await test.status("once")
            #expect(status.state == .completed && status.summary.captured == 1)
            #expect(status.last?.path == test.folder.path + "/1.jpg")
        }
    }

    @Test("A picture is captured on request while a series uses the camera")
    func snap() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  quick: { interval: 100ms, output: FOLDER/%n.jpg }
            """
        try await TestService.run(cameras) { test in
            try await test.next("captured", of: "quick")
            let still = try await test.service.snap("garden")
            #expect(still.bytes?.prefix(2) == [0xFF, 0xD8] && still.width == 64 && still.path == nil)
            try await test.next("captured", of: "quick")
            let camera = try #require(await test.service.status.cameras.first)
            #expect(camera.health.state == .delivering && camera.words == "delivers frames")
        }
    }

    @Test("A camera without series is open only while it captures a picture")
    func snapAlone() async throws {
        try await TestService.run("  garden: { source: FRAMES, encoding: png }\n") { test in
            let still = try await test.service.snap("garden")
            #expect(still.bytes?.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
            let camera = try #require(await test.service.status.cameras.first)
            #expect(camera.health.state == .closed && camera.last?.width == 64)
        }
    }

    @Test("A service that is prepared knows its series before it runs them")
    func prepare() async throws {
        let folder = try TemporaryFolder()
        let cameras = "  garden: { source: FRAMES, series: { hourly: { interval: 1h, output: FOLDER/%n.jpg } } }\n"
        let service = CaptureService(try TestService.configuration(cameras, in: folder))
        #expect(await service.prepare().isEmpty)
        #expect(await service.status.series.map(\.id) == ["hourly"])
        try await service.pause("hourly")
    }

    @Test("A session can be started again as soon as its end is reported")
    func startAgain() async throws {
        try await TestService.run(Self.avatar) { test in
            for _ in 0..<20 {
                _ = try await test.service.startSession("avatar", usingCamera: false)
                _ = try await test.service.request(.cancel, of: "avatar")
                try await test.next("finished")
            }
        }
    }

    @Test("A session that was canceled can be started again at once")
    func startAfterCancel() async throws {
        try await TestService.run(Self.avatar) { test in
            for usesCamera in [false, true, false, true, false] {
                _ = try await test.service.startSession("avatar", usingCamera: usesCamera)
                _ = try await test.service.request(.cancel, of: "avatar")
            }
            _ = try await test.service.startSession("avatar", usingCamera: false)
            await #expect(throws: SessionRefusal.self) { try await test.service.startSession("avatar") }
        }
    }

    @Test("A session that a reload has left can be started again after it, and its end is reported before")
    func startAfterReload() async throws {
        @Sendable func text(_ name: String) -> String {
            "  garden: { source: FRAMES }\nsessions:\n  \(name): { session: avatar, camera: garden, output: FOLDER }\n"
        }
        try await TestService.run(text("one")) { test in
            for name in ["two", "one", "two", "one"] {
                let id = try #require(await test.service.allSessions.first?.id)
                _ = try await test.service.startSession(id, usingCamera: false)
                await test.service.reload(try TestService.configuration(text(name), in: test.folder))
                let kinds = try await test.kinds(upTo: "reloaded")
                #expect(kinds.last == "reloaded" && kinds.contains("finished"))
                _ = try await test.service.startSession(name, usingCamera: false)
                _ = try await test.service.request(.cancel, of: name)
                try await test.next("finished")
            }
        }
    }

    @Test("Unknown cameras and series are refused")
    func unknown() async throws {
        try await TestService.run("  garden: { source: FRAMES }\n") { test in
            for id in ["", "desk", "../garden", "garden\u{0}"] {
                await #expect(throws: CaptureError.self) { try await test.service.snap(id) }
                await #expect(throws: CaptureError.self) { try await test.service.pause(id) }
                await #expect(throws: CaptureError.self) { try await test.service.resume(id) }
                await #expect(throws: CaptureError.self) { try await test.service.stop(id) }
            }
        }
    }

    @Test("A paused series continues when it is resumed, with its numbers")
    func pause() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  quick: { interval: 100ms, output: FOLDER/%n.jpg }
            """
        try await TestService.run(cameras) { test in
            try await test.next("captured")
            try await test.service.pause("quick")
            try await test.state(.paused, of: "quick")
            let paused = try await test.status("quick")
            #expect(paused.state == .paused && paused.nextSlot == nil)
            try await test.service.resume("quick")
            try await test.state(.running, of: "quick")
            try await test.next("captured")
            let resumed = try await test.status("quick")
            #expect(try #require(resumed.last).sequence > #require(paused.last).sequence)
            try await test.service.stop("quick")
            try await test.state(.stopped, of: "quick")
            try await test.service.pause("quick")
            #expect(try await test.status("quick").state == .stopped)
        }
    }

    @Test("A series that cannot run waits with its reason, and others continue")
    func fault() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  away: { interval: 1s, output: FOLDER/missing/%n.jpg }
                  quick: { interval: 100ms, output: FOLDER/quick-%n.jpg }
              desk:
                camera: no-such-camera
                series:
                  desk: { interval: 1s, output: FOLDER/desk-%n.jpg }
            """
        try await TestService.run(cameras) { test in
            try await test.state(.waiting, ofAll: ["away", "desk"])
            try await test.next("captured", of: "quick")
            let status = await test.service.status
            #expect(!status.isReady && status.faults.count == 3)
            #expect(status.series[0].error?.message == "does not exist, so there is no series to resume")
            #expect(status.cameras[0].health.state != .lost && status.cameras[1].words.hasPrefix("lost "))
            try FileManager.default.createDirectory(
                atPath: test.folder.path + "/missing", withIntermediateDirectories: false)
            try await test.service.resume("away")
            try await test.next("captured", of: "away")
        }
    }

    @Test("A reload leaves unchanged series undisturbed, and replaces, adds and removes others")
    func reload() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  same: { interval: 100ms, output: FOLDER/same-%n.jpg }
                  changed: { interval: 100ms, output: FOLDER/changed-%n.jpg }
                  removed: { interval: 100ms, output: FOLDER/removed-%n.jpg }
            """
        try await TestService.run(cameras) { test in
            for id in ["same", "changed", "removed"] { try await test.next("captured", of: id) }
            let next = cameras.replacing("removed", with: "added")
                .replacing("changed: { interval: 100ms", with: "changed: { interval: 150ms")
            let before = test.service.listen()
            await test.service.reload(try TestService.configuration(next, in: test.folder))
            for id in ["changed", "added", "same"] { try await test.next("captured", of: id) }
            #expect(await test.service.status.series.map(\.id) == ["same", "changed", "added"])
            await test.service.stop()
            var states: [String: [String]] = [:]
            for await event in before where event.event.kind == "series" {
                states[event.event.series ?? "", default: []].append(event.event["state"] ?? "")
            }
            #expect(states["same"] == nil && states["removed"] == nil && states["changed"] == ["running"])
        }
    }

    @Test("A service that has stopped captures no picture, and its events end")
    func stop() async throws {
        try await TestService.run("  garden: { source: FRAMES }\n") { test in
            let events = test.service.listen()
            await test.service.stop()
            await #expect(throws: CaptureError.self) { try await test.service.snap("garden") }
            for await _ in events {}
        }
    }

    @Test("Events have increasing numbers, and a listener can continue after any of them")
    func replay() async throws {
        let cameras = """
              garden:
                source: FRAMES
                series:
                  quick: { interval: 100ms, count: 3, output: FOLDER/%n.jpg }
            """
        try await TestService.run(cameras) { test in
            try await test.state(.completed, of: "quick")
            await test.service.stop()
            var all: [Int] = []
            for await event in test.service.listen(after: 0) { all.append(event.number) }
            #expect(all == Array(1...all.count))
            var rest: [Int] = []
            for await event in test.service.listen(after: 2) { rest.append(event.number) }
            #expect(rest == Array(all.dropFirst(2)))
        }
    }
}

@Suite("Camera health")
struct CameraHealthTests {
    @Test("The state of a lost camera is in words, until frames arrive again")
    func loss() {
        var health = CameraHealth()
        let start = ClockTime(nanoseconds: 5_000_000_000)
        #expect(health.words(at: start) == "closed: no job needs it")
        health.record(.opening(source: "a", pipeline: "b"), at: start)
        #expect(health.words(at: start) == "being opened")
        health.record(.recovered(after: .seconds(1)), at: start)
        health.record(.lost(CaptureError(.noCamera, "was unplugged", subject: "a")), at: start)
        health.record(.opening(source: "a", pipeline: "b"), at: start + .seconds(3))
        #expect(health.words(at: start + .seconds(12)) == "lost 12s ago (was unplugged); waiting for it")
        health.record(.recovered(after: .seconds(13)), at: start + .seconds(13))
        #expect(health.state == .delivering && health.error == nil)
    }
}

@Suite("IDs of pictures")
struct StillIDTests {
    @Test("An ID reads as it is written", arguments: ["minute-1", "a-b-12", "x_1-999999999999999"])
    func valid(text: String) { #expect(StillID(text)?.description == text) }

    @Test(
        "A text that is no ID is refused",
        arguments: [
            "", "-", "minute", "minute-", "-1", "minute-0", "minute-01", "minute-+1", "minute--1x", "minute-1.0",
            "minute-9999999999999999", "minute-１", "minute-1\u{0}", "\(String(repeating: "a", count: 128))-1",
        ])
    func invalid(text: String) { #expect(StillID(text) == nil) }
}
