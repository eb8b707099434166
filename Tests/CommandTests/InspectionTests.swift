// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("cameras, controls, doctor, presets", .timeLimit(.minutes(5)))
struct InspectionTests {
    @Test("The scene is always listed", arguments: [["cameras", "--json"], ["--list-cameras", "--json"]])
    func cameras(arguments: [String]) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(arguments, in: command.folder).outcome()
        #expect(outcome.status == 0)
        let scene = try #require(try outcome.events.last)
        #expect(scene["id"] == "scene" && scene["kind"] == "scene" && scene["usable"] == true)
        let formats: [Any] = try #require(scene["formats"])
        #expect(!formats.isEmpty)
    }

    @Test("The scene has no controls, and setting one is a usage error")
    func controls() async throws {
        let none = try await Command().run("controls", "--camera", "scene")
        #expect(none.status == 0 && none.output.isEmpty)
        let unknown = try await Command().run("controls", "--camera", "scene", "--set", "brightness=1")
        #expect(unknown.status == 64)
        let gone = try await Command().run("controls", "--camera", "/dev/video99")
        #expect(gone.status == 69)
    }

    @Test("The doctor runs all checks, and names the ones that fail")
    func doctor() async throws {
        let outcome = try await Command().run("doctor", "--json")
        let checks: [String] = try outcome.events.compactMap { $0["check"] }
        for check in [
            "gstreamer", "elements", "jpeg", "video", "sound", "text", "permissions", "disk", "writing", "presets",
            "clock",
        ] {
            #expect(checks.contains(check))
        }
        let gone = try await Command().run("doctor", "--camera", "no-such-camera")
        #expect(gone.status != 0 && gone.text.contains("no-such-camera"))
        let folder = try await Command().run("doctor", "-o", "/no/such/folder")
        #expect(folder.status != 0 && folder.text.contains("/no/such/folder"))
    }

    @Test("The doctor says that a machine without fonts draws no text")
    func fonts() async throws {
        let command = try Command()
        try command.write("<fontconfig></fontconfig>", to: "fonts.conf")
        let variable = ["FONTCONFIG_FILE": command.folder.path + "/fonts.conf"]
        let outcome = try await command.run("doctor", "--json", environment: variable)
        let check = try #require(try outcome.events.first { $0["check"] == "text" })
        #expect(check["outcome"] == "warning" && check["advice"] == "install fonts-dejavu-core")
    }

    @Test("Presets are listed, shown verbatim, and checked with line and column")
    func presets() async throws {
        let command = try Command()
        let folder = command.folder.appendingPathComponent("pipelines")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try command.write("# My own.\nwidth: 320\n", to: "pipelines/mine.yaml")
        try command.write("width: 320\nwidht: 3\nquality: 900\n", to: "pipelines/broken.yaml")

        let list = try await command.run("presets", "--json")
        let mine = try #require(try list.events.first { $0["name"] == "mine" })
        #expect(mine["description"] == "My own.")
        let broken = try #require(try list.events.first { $0["name"] == "broken" })
        #expect(broken.object("error")?["code"] == "configuration")

        #expect(try await command.run("presets", "show", "mine").text == "# My own.\nwidth: 320\n")
        #expect(try await command.run("presets", "check", "mine").status == 0)
        let check = try await command.run("presets", "check", "mine", "pipelines/broken.yaml")
        #expect(check.status == 78)
        #expect(check.error.contains(":2:1") && check.error.contains("width") && check.error.contains(":3:"))
        #expect(try await command.run("presets", "check", "no-such-preset").status == 66)
        #expect(try await command.run("snap", "--preset", "broken").status == 78)

        try command.write("camera: scene\nexec-after: touch hooked\n", to: "pipelines/hooks.yaml")
        let refused = try await command.run("snap", "--preset", "hooks")
        #expect(refused.status == 77)
        #expect(refused.error.contains("exec-after") && refused.error.contains("./pipelines/hooks.yaml"))
        #expect(try await command.run("snap", "--preset", "./pipelines/hooks.yaml").status == 0)
        #expect(FileManager.default.fileExists(atPath: command.folder.appendingPathComponent("hooked").path))
    }
}
