// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PresetKit
import StillKit
import Testing

@testable import ServiceKit

@Suite("Requests about clips", .timeLimit(.minutes(2)))
struct ClipRequestTests {
    private static let clips = "clips: { output: FOLDER/clips/%n.mp4, keep-free: 1kB }"

    @Test("A camera without clips, one without triggers and one that is armed refuse requests")
    func refused() async throws {
        let cameras = """
              plain: { source: FRAMES }
              door:
                source: FRAMES
                \(Self.clips)

            """
        try await TestService.run(cameras) { test in
            let service = test.service
            for body: @Sendable (String) async throws -> Void in [
                { try await service.startClip($0) }, { try await service.stopClip($0) },
                { try await service.triggerClip($0) }, { _ = try await service.clips(of: .camera($0)) },
            ] {
                #expect(await failure { try await body("plain") }?.code == .usage)
                #expect(await failure { try await body("other") } == .unknown("camera", "other"))
            }
            #expect(await failure { try await service.triggerClip("door") }?.code == .usage)
            #expect(await failure { try await service.stopClip("door") }?.code == .usage)
            #expect(await failure { try await service.startClip("door", for: .zero) }?.code == .usage)
            let listed = try await service.clips(of: .camera("door"))
            #expect(listed.isEmpty)
            #expect(await failure { try await service.clip(1, of: .camera("door")) }?.code == .noInput)
            #expect(await failure { try await service.removeClip(1, of: .camera("door")) }?.code == .noInput)
        }
    }

    @Test("A service repairs the clips of an earlier process when it starts, and tells it")
    func repair() async throws {
        let camera = "  door:\n    source: FRAMES\n"
        try await TestService.run(camera) { test in
            let names = try FileNameTemplate(parsing: test.folder.path + "/clips/%n.mp4")
            do {
                try StillFolder.make(test.folder.path + "/clips/.gst-capture")
                let account = try ClipAccount(
                    ClipFolder.accountPath(for: names), base: test.folder.path + "/clips", .create)
                _ = try account.add(test.folder.path + "/clips/1.mp4", start: .test(0), width: 64, height: 48)
            }
            let next = try TestService.configuration(camera + "    \(Self.clips)\n", in: test.folder)
            await test.service.reload(next)
            #expect(try await test.clip("gone").number("clip") == 1)
            #expect(try await test.service.clip(1, of: .camera("door")).state == .gone)
        }
    }

    @Test("An armed camera that is missing is retried, and a trigger has the fault")
    func retry() async throws {
        let folder = try TemporaryFolder()
        let configuration = try TestService.configuration(
            "  door:\n    camera: no-such-camera\n    clips: { output: FOLDER/%n.mp4, trigger: yes }\n", in: folder)
        let service = CaptureService(configuration, retryDelay: .milliseconds(1))
        let events = service.listen()
        async let failed = service.run()
        var count = 0
        for await event in events where event.event["type"] == "finished" {
            count += 1
            if count == 3 { break }
        }
        #expect(await failure { try await service.triggerClip("door") }?.code == .noCamera)
        #expect(try await service.clipStatus(of: "door").error?.code == .noCamera)
        #expect(await service.status.cameras.first?.health.state == .lost)
        await service.stop()
        #expect(await failed == nil)
    }

    @Test("A damaged list refuses recordings, and leaves the rest of the service alone")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let names = try FileNameTemplate(parsing: folder.path + "/clips/%n.mp4")
        try folder.write("clips/.gst-capture/" + DeviceFiles.name(of: ClipFolder.accountPath(for: names)), "garbage")
        let configuration = try TestService.configuration("  door:\n    camera: scene\n    \(Self.clips)\n", in: folder)
        let service = CaptureService(configuration, retryDelay: .seconds(3600))
        async let failed = service.run()
        let error = await failure { try await service.clips(of: .camera("door")) }
        #expect(error?.code == .inputOutput && error?.subject == ClipFolder.accountPath(for: names))
        _ = try await service.snap("door")
        await service.stop()
        #expect(await failed == nil)
    }
}
