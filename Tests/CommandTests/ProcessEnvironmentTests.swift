// Part of gst-capture. Apache License 2.0, see LICENSE.

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
}
