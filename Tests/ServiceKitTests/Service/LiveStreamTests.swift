// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import StillKit
import Testing

@testable import ServiceKit

@Suite("Live streams", .timeLimit(.minutes(3)))
struct LiveStreamTests {
    private static let camera = "  garden: { source: FRAMES }\n"

    private static func size(_ picture: StreamPicture) async throws -> (width: Int, height: Int) {
        let sample = Sample(try Buffer(picture.bytes), caps: try Caps("image/jpeg"))
        let info = try #require(try await sample.through("jpegdec ! videoconvert").caps?.videoInfo)
        return (info.width, info.height)
    }

    @Test("Many viewers with one request share one encoder, and another request has another")
    func shared() async throws {
        try await TestService.run(Self.camera) { test in
            var small = StreamRequest()
            (small.width, small.quality, small.isMirrored) = (32, 50, true)
            var viewers: [StreamViewer] = []
            for _ in 0..<20 { viewers.append(try await test.service.view("garden", StreamRequest())) }
            let other = try await test.service.view("garden", small)
            for viewer in viewers {
                let picture = try #require(await viewer.next())
                let size = try await Self.size(picture)
                #expect(size == (64, 48) && picture.fault == nil)
            }
            let picture = try #require(await other.next())
            let size = try await Self.size(picture)
            #expect(size == (32, 24))
            #expect(test.service.streamCount.streams == 2 && test.service.streamCount.viewers == 21)
        }
    }

    @Test("Viewers that come and go leave no stream behind, and the last one closes the camera")
    func comeAndGo() async throws {
        try await TestService.run(Self.camera) { test in
            for index in 0..<200 {
                let viewer = try await test.service.view("garden", StreamRequest())
                if index % 20 == 0 { #expect(await viewer.next() != nil) }
            }
            #expect(test.service.streamCount.viewers == 0)
            // A busy machine may have needed more than one stream for all viewers.
            while test.service.streamCount.streams > 0 { try await test.next("stream") { $0["state"] == "ended" } }
            let camera = try #require(await test.service.status.cameras.first)
            #expect(camera.health.state == .closed)
            let viewer = try await test.service.view("garden", StreamRequest())
            #expect(await viewer.next() != nil)
        }
    }

    @Test("There is a limit to viewers and to different requests")
    func limits() async throws {
        try await TestService.run(Self.camera) { test in
            var viewers: [StreamViewer] = []
            for quality in 1...StreamHub.mostStreams {
                var request = StreamRequest()
                request.quality = quality
                viewers.append(try await test.service.view("garden", request))
            }
            await #expect(throws: CaptureError.self) { try await test.service.view("garden", StreamRequest()) }
            var request = StreamRequest()
            request.quality = 1
            while viewers.count < StreamHub.mostViewers {
                viewers.append(try await test.service.view("garden", request))
            }
            let most = request
            await #expect(throws: CaptureError.self) { try await test.service.view("garden", most) }
            viewers.removeLast()
            _ = try await test.service.view("garden", most)
            await #expect(throws: CaptureError.self) { try await test.service.view("desk", most) }
        }
    }

    /// A camera whose only frame is a file; without the file, it is lost.
    private struct FileCamera {
        let folder: TemporaryFolder
        let bytes: [UInt8]

        init() async throws {
            folder = try TemporaryFolder()
            let pixels = RGBPicture(width: 64, height: 48) { x, y in [UInt8(x * 4), UInt8(y * 5), 99] }
            let jpeg = try await pixels.sample().through("videoconvert ! video/x-raw,format=I420 ! jpegenc quality=33")
            bytes = try #require(jpeg.buffer).bytes()
            try connect()
        }

        var camera: String {
            let source =
                "multifilesrc location=\(folder.path)/%d.jpg start-index=0 stop-index=0 loop=true do-timestamp=true"
                + " caps=image/jpeg,framerate=30/1 ! identity sleep-time=30000"
            return "  garden: { source: '\(source)', stall-after: 60s }\n"
        }

        func connect() throws { try Data(bytes).write(to: URL(filePath: folder.path + "/0.jpg")) }

        func disconnect() throws { try FileManager.default.removeItem(atPath: folder.path + "/0.jpg") }
    }

    @Test("A JPEG of the camera reaches viewers byte for byte unless they ask for a change")
    func passThrough() async throws {
        let file = try await FileCamera()
        try await TestService.run(file.camera) { test in
            let viewer = try await test.service.view("garden", StreamRequest())
            #expect(await viewer.next()?.bytes == file.bytes)
            var request = StreamRequest()
            (request.width, request.height) = (20, 40)
            let changed = try await test.service.view("garden", request)
            let picture = try #require(await changed.next())
            let size = try await Self.size(picture)
            #expect(size == (20, 40) && picture.bytes != file.bytes)
        }
    }

    @Test("Viewers of a camera that is lost get a picture with its fault, and frames again when it is back")
    func lost() async throws {
        let file = try await FileCamera()
        try await TestService.run(file.camera) { test in
            let viewer = try await test.service.view("garden", StreamRequest())
            func next(lost: Bool) async throws -> StreamPicture {
                while let picture = await viewer.next() { if (picture.fault != nil) == lost { return picture } }
                throw CaptureError(.software, "the stream has ended")
            }
            _ = try await next(lost: false)
            try file.disconnect()
            let fault = try await next(lost: true)
            let size = try await Self.size(fault)
            #expect(size == (64, 48) && fault.bytes != file.bytes)
            let camera = try #require(await test.service.status.cameras.first)
            #expect(camera.health.state == .lost)
            #expect(try await test.next("lost").camera == "garden")
            try file.connect()
            #expect(try await next(lost: false).bytes == file.bytes)
            #expect(try await test.next("recovered").camera == "garden")
        }
    }

    @Test("A series keeps its pictures as they are while viewers watch with layers and a mirror")
    func undisturbed() async throws {
        let source =
            "videotestsrc pattern=white is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=10/1"
        let cameras = """
              garden:
                source: "\(source)"
                overlay: [ { text: "layer" } ]
                series:
                  quick: { interval: 200ms, count: 6, encoding: raw, output: FOLDER/%n.raw }
            """
        try await TestService.run(cameras) { test in
            var request = StreamRequest()
            (request.isMirrored, request.layers) = (true, .camera)
            let viewer = try await test.service.view("garden", request)
            #expect(await viewer.next() != nil)
            try await test.state(.completed, of: "quick")
            // A busy machine can miss a slot.
            let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
                .filter { $0.hasSuffix(".raw") }
            #expect(!names.isEmpty)
            for name in names {
                let picture = try Data(contentsOf: URL(filePath: "\(test.folder.path)/\(name)"))
                // White, without a trace of a layer.
                #expect(Set(picture) == [235, 128])
            }
        }
    }
}
