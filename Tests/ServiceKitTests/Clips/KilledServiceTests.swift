// Part of gst-capture. Apache License 2.0, see LICENSE.

// Older versions of Swift pass no values to the process of a test.
#if compiler(>=6.3)
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@testable import ServiceKit

extension LiveFrames {
    @Suite("Clips of a killed service", .timeLimit(.minutes(5)))
    struct KilledServiceTests {
        @Test("A clip of a service that is killed is repaired and told when the service starts again")
        func killed() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                let service = CaptureService(try Self.configuration(path))
                async let _ = service.run()
                try await service.startClip("door")
                // Each picture is a frame later. The file has several pictures then.
                while try await service.clipStatus(of: "door").byteCount ?? 0 < 10_000 {
                    _ = try await service.snap("door")
                }
                kill(getpid(), SIGKILL)
            }
            let service = CaptureService(try Self.configuration(folder.path))
            let events = service.listen()
            async let failed = service.run()
            for await event in events where event.event["type"] == "repaired" {
                #expect(event.event.kind == "clip" && event.event.number("clip") == 1)
                break
            }
            let clip = try await service.clip(1, of: .camera("door"))
            #expect(clip.state == .repaired && clip.frameCount ?? 0 > 0 && clip.reason == nil)
            let report = try ClipFile.finalize(clip.path)
            #expect(report.wasOrdinary && report.duration == clip.duration)
            try await service.startClip("door", for: .milliseconds(200))
            for await event in events where event.event["type"] == "recorded" { break }
            #expect(try await service.clip(2, of: .camera("door")).state == .complete)
            await service.stop()
            #expect(await failed == nil)
        }

        private static func configuration(_ folder: String) throws -> ServiceConfiguration {
            let text = """
                cameras:
                  door:
                    source: "videotestsrc is-live=true ! video/x-raw,width=320,height=240"
                    stall-after: 5m
                    clips: { output: "\(folder)/%n.mp4", keep-free: 1kB }
                """
            return try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
        }
    }
}
#endif
