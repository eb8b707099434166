// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import ServiceKit

extension LiveFrames {
    @Suite("Pictures from before their request", .timeLimit(.minutes(3)))
    struct EarlierPictureTests {
        private static let earlier = PictureRequest(lead: .milliseconds(200))

        private static func camera(_ more: String) -> String { "  garden: { source: FRAMES\(more) }\n" }

        /// Opens the camera, and waits until frames of 300 ms and more are kept.
        private static func watch(_ test: TestService) async throws -> StreamViewer {
            let viewer = try await test.service.view("garden", StreamRequest())
            var start: Int64?
            while let picture = await viewer.next() {
                let time = picture.time.millisecondsSince1970
                start = start ?? time
                if let start, time - start >= 300 { break }
            }
            return viewer
        }

        @Test("The picture is a frame that the open camera delivered before the request, at full size")
        func unstored() async throws {
            try await TestService.run(Self.camera(", history: 500ms")) { test in
                let viewer = try await Self.watch(test)
                let now = WallTime.now().millisecondsSince1970
                let still = try await test.service.snap("garden", PictureRequest(lead: .milliseconds(200)))
                #expect(still.captured.millisecondsSince1970 < now && still.offset < .zero)
                #expect((still.width, still.height) == (64, 48))
                viewer.leave()
            }
        }

        @Test("The stored picture and its line in the ledger have the time of the frame")
        func stored() async throws {
            try await TestService.run(Self.camera(", history: 2s, output: FOLDER/%n.jpg")) { test in
                let viewer = try await Self.watch(test)
                let now = WallTime.now().millisecondsSince1970
                let requests = PictureRequests(test.service, state: nil)
                let request = PictureRequest(lead: .milliseconds(200))
                let still = try #require(try await requests.capture(request, with: "garden", name: nil).first)
                #expect(still.still.captured.millisecondsSince1970 < now && still.still.errorMilliseconds < 0)
                viewer.leave()
            }
        }

        @Test("The history of one job is that of all, also of a job that comes later, and ends with the last")
        func later() async throws {
            try await TestService.run(Self.camera(", history: 500ms")) { test in
                let first = try await Self.watch(test)
                let second = try await Self.watch(test)
                first.leave()
                _ = try await test.service.snap("garden", PictureRequest(lead: .milliseconds(200)))
                second.leave()
                while test.service.streamCount.streams > 0 { try await test.next("stream") { $0["state"] == "ended" } }
                let error = await failure { try await test.service.snap("garden", Self.earlier) }
                #expect(error == .hadNoFrame("garden"))
            }
        }

        @Test("A request that the camera cannot meet is refused with what to do, and captures nothing")
        func refused() async throws {
            try await TestService.run(Self.camera(", history: 100ms")) { test in
                let tooLong = await failure { try await test.service.snap("garden", Self.earlier) }
                #expect(
                    tooLong?.description == "garden: keeps the frames of 100ms before a request; "
                        + "give at=-100ms or less, or the camera a longer history")
                let closed = await failure {
                    try await test.service.snap("garden", PictureRequest(lead: .milliseconds(50)))
                }
                #expect(closed == .hadNoFrame("garden"))
            }
            try await TestService.run(Self.camera("")) { test in
                let error = await failure { try await test.service.snap("garden", Self.earlier) }
                #expect(error == .keepsNoFrames("garden"))
            }
            try await TestService.run(Self.camera(", history: 500ms, flash: torch")) { test in
                let error = await failure { try await test.service.snap("garden", Self.earlier) }
                #expect(error?.code == .usage && error?.advice?.contains("flash") == true)
            }
        }
    }
}
