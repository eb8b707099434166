// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("Environment of the command", .timeLimit(.minutes(5)))
struct ProcessEnvironmentTests {
    @Test("The command sets variables for GStreamer's plugins, and keeps those that the user has set")
    func variables() async throws {
        let command = try Command()
        let outcome = try await command.run(
            "timelapse", "--camera", "scene", "--interval", "1s", "--count", "1", "-o", "%n.jpg", "--exec-after",
            "printenv GST_V4L2_FORCE_DRAIN OPENCV_LOG_LEVEL >log", environment: ["OPENCV_LOG_LEVEL": "WARNING"])
        #expect(outcome.status == 0)
        #expect(try String(decoding: command.bytes("log"), as: UTF8.self) == "1\nWARNING\n")
    }

    @Test(
        "A command of a user who may not raise priorities writes nothing to the system's log",
        .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
    func systemLog() async throws {
        let command = try Command()
        let log = try NotifySocket(command.folder.path + "/log")
        // In this namespace no process may raise priorities, and /dev/log is that socket.
        let script = """
            mkdir devices
            mount --rbind /dev devices
            mount -t tmpfs none /dev
            ln -s "$PWD"/devices/* /dev
            ln -sf "$PWD/log" /dev/log
            "$@"
            logger --socket /dev/log 'that is all'
            """
        let outcome = try await RunningCommand(
            ["snap", "--camera", "scene", "-o", "a.jpg"], in: command.folder,
            launcher: ["unshare", "--mount", "--user", "--map-root-user", "sh", "-ec", script, "sh"]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        for await line in log.lines where line.hasSuffix("that is all") { break }
        #expect(log.received.count == 1, "\(log.received)")
    }
}
