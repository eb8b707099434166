// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite(
    "The sender of a service", .timeLimit(.minutes(2)), .enabled(if: PictureServer.isAvailable, PictureServer.advice))
struct OutboxSenderTests {
    private static let cameras = """
          garden: { camera: scene, width: 320, height: 240, output: FOLDER/pictures/%05n.jpg }

        """

    /// Starts a service whose sender delivers to a server, and waits until the server has a picture.
    private static func start(_ server: PictureServer, in folder: URL) throws -> ServedProgram {
        let text = """
            targets:
              web: { http: "\(server.address)", name: "{file}.{extension}" }
            send:
              - { from: \(folder.path)/pictures, to: web }
            """
        try Data(text.utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
        let program = try ServedProgram(cameras, in: folder, ownsFolder: true, head: "outbox: FOLDER/outbox.yaml\n")
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        try program.awaitMetric(#"gst_capture_outbox_sent_total{target="web"} 1"#)
        return program
    }

    @Test("A service in a terminal sends its pictures, and its sender ends with it")
    func terminal() async throws {
        let folder = try ServedProgram.makeFolder()
        let server = try PictureServer(in: folder)
        let program = try Self.start(server, in: folder)
        #expect(server.pictures == ["00001.jpg"])
        #expect(await program.stop() == 0)
        // The sender has left its lock.
        let options = ["--config", folder.path + "/outbox.yaml", "--state", folder.path + "/state"]
        let again = try await ServedProgram.run(
            [ServedProgram.program.path, "outbox", "send", "--once"] + options, in: folder)
        #expect(again.status == 0, "\(again.error)")
    }

    @Test("The sender of a service that is killed ends, too")
    func killed() async throws {
        let folder = try ServedProgram.makeFolder()
        let server = try PictureServer(in: folder)
        let program = try Self.start(server, in: folder)
        await program.kill()
        try await Self.awaitEnd(of: folder)
    }

    /// Waits until the sender of a service that was killed has left its lock.
    private static func awaitEnd(of folder: URL) async throws {
        let freed = try await ServedProgram.run(["flock", folder.path + "/state/outbox/lock", "true"], in: folder)
        #expect(freed.status == 0, "\(freed.error)")
    }

    @Test("A service sends its clips byte for byte, also one that it was recording when it was killed")
    func clips() async throws {
        let folder = try ServedProgram.makeFolder()
        let server = try PictureServer(in: folder)
        let text = """
            targets:
              web: { http: "\(server.address)", name: "{file}.{extension}" }
            send:
              - { clips: \(folder.path)/clips, to: web }
            """
        try Data(text.utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
        let killed = try Self.recorder(in: folder)
        try Self.record(killed, "?for=500ms")
        try killed.awaitMetric(#"gst_capture_outbox_sent_total{target="web"} 1"#)
        // The clip is complete before its recording has ended, which the response waits for.
        _ = try killed.request("POST", "/api/v1/cameras/garden/record/stop")
        try Self.record(killed)
        let file = folder.path + "/clips/2.mp4"
        // Each picture is a frame later. The file has several pictures then.
        while (FileManager.default.contents(atPath: file)?.count ?? 0) < 10_000 {
            #expect(try killed.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        }
        await killed.kill()
        try await Self.awaitEnd(of: folder)
        let program = try Self.recorder(in: folder, ownsFolder: true)
        try Self.record(program, "?for=500ms")
        try program.awaitMetric(#"gst_capture_outbox_sent_total{target="web"} 3"#)
        #expect(server.files(".mp4") == ["1.mp4", "2.mp4", "3.mp4"])
        for name in server.files(".mp4") {
            let received = server.folder.appendingPathComponent("pictures/" + name)
            let sent = try Data(contentsOf: folder.appendingPathComponent("clips/" + name))
            #expect(try Data(contentsOf: received) == sent && sent.count > 1000)
        }
        #expect(await program.stop() == 0)
    }

    private static func recorder(in folder: URL, ownsFolder: Bool = false) throws -> ServedProgram {
        let cameras = """
              garden:
                camera: scene
                width: 320
                height: 240
                output: FOLDER/pictures/%05n.jpg
                clips: { output: FOLDER/clips/%n.mp4, keep-free: 1kB }

            """
        return try ServedProgram(cameras, in: folder, ownsFolder: ownsFolder, head: "outbox: FOLDER/outbox.yaml\n")
    }

    private static func record(_ program: ServedProgram, _ query: String = "") throws {
        #expect(try program.request("POST", "/api/v1/cameras/garden/record" + query).status == 202)
    }
}
#endif
