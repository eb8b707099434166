// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing
import VideoKit

@testable import ServiceKit

@Suite(
    "Live photos on request", .timeLimit(.minutes(5)),
    .enabled(
        if: ["openh264enc", "h264parse", "mp4mux"].allSatisfy { GStreamer.hasElement($0) },
        "openh264enc is missing; run scripts/setup test"))
struct RequestedLivePhotoTests {
    private static let raw = "video/x-raw,format=I420,width=64,height=48,framerate=30/1"
    private static let live = PictureRequest(isLive: true)

    private static func camera(_ source: String, _ more: String = "") -> String {
        "  garden:\n    source: \"videotestsrc is-live=true ! \(raw)\(source)\"\n    stall-after: 5m\n" + more
    }

    private static let stored = "    output: FOLDER/%n.jpg\n"

    @Test("The stored picture has its movie, and the ledger that file", arguments: ["", " ! jpegenc"])
    func stored(source: String) async throws {
        try await TestService.run(Self.camera(source, Self.stored)) { test in
            let requests = PictureRequests(test.service, state: test.folder.path + "/state")
            let still = try #require(
                try await requests.capture(Self.live, with: "garden", name: nil).first)
            let photo = Array(try Data(contentsOf: URL(filePath: test.folder.path + "/1.jpg")))
            #expect(MotionPhoto.movie(in: photo) != nil)
            #expect(still.still.sha256 == SHA256.digits(of: photo) && still.still.byteCount == photo.count)
            let event = try await test.next("live-photo")
            #expect(event["camera"] == "garden")
        }
    }

    @Test("A picture that is not stored comes with its movie")
    func unstored() async throws {
        try await TestService.run(Self.camera(" ! jpegenc")) { test in
            let still = try await test.service.snap("garden", Self.live)
            let photo = try #require(still.bytes)
            #expect(MotionPhoto.movie(in: photo) != nil && still.byteCount == photo.count)
        }
    }

    @Test("While a client has the frames kept, the state has their size, and the stream ends after the client")
    func kept() async throws {
        try await TestService.run(Self.camera(" ! jpegenc")) { test in
            var viewer: MotionViewer? = try await test.service.keepFrames("garden")
            await (try #require(viewer).ready()).fill()
            let kept = try #require(await test.service.status.cameras.first?.keptFrames)
            #expect(kept.byteCount > 0 && kept.limit >= kept.byteCount)
            #expect(test.service.streamCount.viewers == 1)
            viewer = nil
            while test.service.streamCount.streams > 0 { try await test.next("stream") { $0["state"] == "ended" } }
            #expect(await test.service.status.cameras.first?.keptFrames == nil)
        }
    }

    @Test("A camera whose pictures are no JPEG files makes no live photos")
    func otherFormat() async throws {
        try await TestService.run(Self.camera("", "    output: FOLDER/%n.png\n")) { test in
            let error = await failure { try await test.service.snap("garden", Self.live) }
            #expect(error?.code == .usage && error?.subject == "garden" && error?.advice != nil)
        }
    }

    @Test("After a crash before or after the movie joined, the repeated request has the picture")
    func crashed() async throws {
        let folder = try TemporaryFolder()
        let crafted = try CraftedPictures(folder)
        let (still, photo) = (Array("still".utf8), Array("still and movie".utf8))
        let plain = PlannedPicture(
            camera: "garden", path: crafted.path + "/2026/1.jpg", sha256: SHA256.digits(of: still),
            byteCount: still.count, width: 2, height: 3, captured: .test(0), due: .test(0), offset: 0, isLate: false,
            burstIndex: 0, sequence: 1)
        let joined = plain.with(photo)
        for content in [still, photo] {
            let pictures = try CameraPictures(crafted.camera)
            try folder.write("pictures/2026/1.jpg", String(decoding: content, as: UTF8.self))
            let found = [try await pictures.recover(plain), try await pictures.recover(joined)]
            #expect(found.compactMap { $0?.line } == [1], "\(found)")
            await pictures.close()
        }
    }
}
