// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Metrics of a service", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct MetricsTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 100ms, output: "FOLDER/%05n.jpg" }
        """

    @Test("Metrics of a series that a new configuration does not have end")
    func removedSeries() throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program)
        _ = try events.next("captured")
        try program.reload(Self.cameras.replacing("quick", with: "other"))
        _ = try events.next("reloaded")
        _ = try events.next("captured")
        let text = try program.get("/metrics").text
        #expect(text.contains("series=\"other\"") && !text.contains("series=\"quick\""))
    }

    @Test(
        "promtool accepts the metrics",
        .enabled(if: Promtool.isInstalled, "promtool is not installed; scripts/setup test installs it"))
    func lint() async throws {
        let program = try ServedProgram(Self.cameras)
        _ = try EventClient(program, "?kind=captured").next("captured")
        let file = program.folder.appendingPathComponent("metrics.txt")
        try program.get("/metrics").body.write(to: file)
        let result = try await Promtool.run(["check", "metrics"], input: file)
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    }
}

/// The checker of Prometheus.
enum Promtool {
    private static let path = "/usr/bin/promtool"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs the checker. Returns its status, and what it printed.
    static func run(_ arguments: [String], input: URL? = nil) async throws -> (status: Int32, output: String) {
        let output = Pipe()
        let process = try ChildProgram(
            input.map { ["/bin/sh", "-c", "exec \"$0\" \"$@\" < '\($0.path)'", path] + arguments } ?? [path]
                + arguments,
            output: .pipe(output), error: .pipe(output))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.status(), text)
    }
}
#endif
