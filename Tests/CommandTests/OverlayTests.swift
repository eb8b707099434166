// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Layers on the command line` {
    @Test func `Layers of --burn-in are drawn into a picture, and layers of --overlay are not`() async throws {
        let command = try Command()
        let size = ["--width", "320", "--height", "240"]
        for (name, options) in [
            ("clean.png", ["--overlay", "letterbox:4:1"]), ("burned.png", ["--burn-in", "letterbox:4:1;color=red"]),
        ] {
            let outcome = try await RunningCommand(
                ["snap", "--camera", "scene", "-o", name, "--quiet"] + size + options, in: command.folder
            ).outcome()
            #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
        }
        #expect(try command.bytes("clean.png") != command.bytes("burned.png"))
        #expect(try command.bytes("burned.png").isPNG)
    }

    @Test func `Missing layers and wrong keys are reported before the camera is opened`() async throws {
        let command = try Command()
        try FileManager.default.createDirectory(
            at: command.folder.appending(path: "pipelines/outlines"), withIntermediateDirectories: true)
        try command.write("<svg/>", to: "pipelines/outlines/giraffe.svg")
        let outline = try await command.run("snap", "--camera", "scene", "--burn-in", "dim:girafe")
        #expect(outcome(outline) == "66 --burn-in: \"girafe\": there is no such outline → did you mean giraffe?")
        let file = try await command.run("snap", "--camera", "scene", "--overlay", "image:lost.png")
        #expect(file.status == 66)
        let mistake = try await command.run("snap", "--camera", "scene", "--overlay", "giraffe;colr=red")
        #expect(outcome(mistake) == "64 --overlay: unknown key \"colr\" → did you mean color?")
        #expect(try command.files().filter { $0.hasSuffix(".jpg") }.isEmpty)
    }

    private func outcome(_ outcome: RunningCommand.Outcome) -> String {
        let lines = outcome.error.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return "\(outcome.status) " + lines.joined(separator: " ").replacing("gst-capture: ", with: "")
    }

    @Test func `All layers of a preset are checked at once`() async throws {
        let command = try Command()
        try command.write(
            "overlay:\n  - outline: fase.svg\n  - grid: thirds\nburn-in: [image:lost.png]\n", to: "p.yaml")
        let outcome = try await command.run("presets", "check", "p.yaml")
        #expect(outcome.status == 66)
        #expect(outcome.error.contains("p.yaml:2:14: overlay: "))
        #expect(outcome.error.contains("p.yaml:4:11: burn-in: "))
    }

    @Test func `A rasterizer that dies costs no picture, and a missing one is reported early`() async throws {
        let command = try Command()
        let dying = try await command.run(
            "snap", "--camera", "scene", "-o", "a.jpg", "--burn-in", "grid:thirds",
            environment: ["GST_CAPTURE_RASTER": "/bin/false"])
        #expect(dying.status == 0)
        #expect(dying.error.contains("without the layer grid"), "\(dying.error)")
        #expect(try command.bytes("a.jpg").isJPEG)
        let missing = try await command.run(
            "snap", "--camera", "scene", "-o", "b.jpg", "--burn-in", "grid:thirds",
            environment: ["GST_CAPTURE_RASTER": "/nowhere"])
        #expect(missing.status == 78)
        #expect(try command.files() == ["a.jpg"])
    }
}
