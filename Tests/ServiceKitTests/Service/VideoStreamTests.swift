// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing
import VideoKit

@testable import ServiceKit

@Suite("Live video", .timeLimit(.minutes(5)))
struct VideoStreamTests {
    private static let camera = """
          garden:
            source: "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=30/1"

        """

    @Test("Viewers with one request share an encoder, each begins with a key frame, and layers need another encoder")
    func shared() async throws {
        try await TestService.run(Self.camera) { test in
            var large = VideoRequest()
            large.width = 128
            var viewers: [VideoViewer] = []
            for _ in 0..<5 { viewers.append(try await test.service.watch("garden", VideoRequest())) }
            let other = try await test.service.watch("garden", large)
            for (viewer, width) in viewers.map({ ($0, 64) }) + [(other, 128)] {
                let unit = try #require(try await viewer.first())
                #expect(unit.isKey && unit.sample.caps?.structures.first?["width"] == width)
            }
            let late = try await test.service.watch("garden", VideoRequest())
            #expect(try await late.first()?.isKey == true)
            #expect(test.service.streamCount.streams == 2 && test.service.streamCount.viewers == 7)
        }
    }

    @Test("Viewers that come and go leave no stream behind, and the last one closes the camera")
    func comeAndGo() async throws {
        try await TestService.run(Self.camera) { test in
            for index in 0..<50 {
                let viewer = try await test.service.watch("garden", VideoRequest())
                if index % 10 == 0 { #expect(try await viewer.first() != nil) }
            }
            #expect(test.service.streamCount.viewers == 0)
            while test.service.streamCount.streams > 0 { try await test.next("stream") { $0["state"] == "ended" } }
            let camera = try #require(await test.service.status.cameras.first)
            #expect(camera.health.state == .closed)
        }
    }

    @Test("A viewer that left gets nothing, also one that waits")
    func left() async throws {
        try await TestService.run(Self.camera) { test in
            let viewer = try await test.service.watch("garden", VideoRequest())
            _ = try await viewer.first()
            async let rest: Int = {
                var count = 0
                while await viewer.next() != nil { count += 1 }
                return count
            }()
            viewer.leave()
            #expect(await rest >= 0)
            #expect(try await viewer.first() == nil)
        }
    }

    @Test("A slow viewer continues with a key frame")
    func slow() async throws {
        let noise = Self.camera.replacing("videotestsrc", with: "videotestsrc pattern=snow")
        try await TestService.run(noise) { test in
            var request = VideoRequest()
            (request.width, request.bitRate) = (640, 2_000_000)
            let (fast, slow) = (
                try await test.service.watch("garden", request), try await test.service.watch("garden", request)
            )
            let first = try #require(try await slow.first())
            var bytes = 0
            while bytes < 1 << 20, let unit = await fast.next() { bytes += unit.sample.buffer?.count ?? 0 }
            let next = try #require(await slow.next())
            #expect(next.isKey && next.time > first.time)
        }
    }

    @Test("While the camera is lost, there is no video, and it continues with a key frame when the camera is back")
    func lost() async throws {
        let file = try FileCamera()
        try await TestService.run(file.camera) { test in
            let viewer = try await test.service.watch("garden", VideoRequest())
            #expect(try await viewer.first() != nil)
            try file.disconnect()
            #expect(try await test.next("lost").camera == "garden")
            let error = await failure { try await test.service.watch("garden", VideoRequest()).first() }
            #expect(error != nil)
            let back = PipelineClock.system.now
            try file.connect()
            // Pictures from before the loss may wait.
            var next = await viewer.next()
            while let unit = next, unit.time < back { next = await viewer.next() }
            #expect(try #require(next).isKey)
            #expect(try await test.next("recovered").camera == "garden")
        }
    }

    /// A camera that is lost while its file is away.
    private struct FileCamera {
        private let folder: TemporaryFolder
        private let bytes: Data

        init() throws {
            folder = try TemporaryFolder()
            bytes = Data(repeating: 128, count: 64 * 48 * 3 / 2)
            try connect()
        }

        var camera: String {
            let source =
                "multifilesrc location=\(folder.path)/%d.raw start-index=0 stop-index=0 loop=true do-timestamp=true"
                + " caps=video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! identity sleep-time=30000"
            return "  garden: { source: '\(source)', stall-after: 60s }\n"
        }

        func connect() throws { try bytes.write(to: URL(filePath: folder.path + "/0.raw")) }

        func disconnect() throws { try FileManager.default.removeItem(atPath: folder.path + "/0.raw") }
    }
}
