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
        // It waits until the sender has left its lock.
        let freed = try await ServedProgram.run(["flock", folder.path + "/state/outbox/lock", "true"], in: folder)
        #expect(freed.status == 0, "\(freed.error)")
    }
}
#endif
