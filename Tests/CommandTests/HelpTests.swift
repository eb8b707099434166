// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import Testing

@testable import gst_capture

@Suite("Help", .timeLimit(.minutes(5)))
struct HelpTests {
    @Test("The command without arguments prints the first steps and succeeds")
    func alone() async throws {
        let outcome = try await Command().run()
        #expect(outcome.status == 0)
        for word in ["doctor", "cameras", "snap", "timelapse", "preview", "controls", "presets", "help snap"] {
            #expect(outcome.text.contains("gst-capture \(word)"))
        }
        #expect(outcome.lines.count <= 16)
    }

    @Test(
        "The help of each subcommand has examples",
        arguments: [
            "snap", "timelapse", "film", "sheet", "preview", "crop", "ledger", "cameras", "controls", "presets",
            "doctor",
            "serve",
        ])
    func examples(name: String) async throws {
        let outcome = try await Command().run(name, "--help")
        #expect(outcome.status == 0)
        let examples = outcome.lines.filter { $0.contains("gst-capture \(name)") && !$0.contains("USAGE") }
        #expect(examples.count >= 3)
        #expect(outcome.lines.allSatisfy { $0.count <= 100 || $0.hasPrefix("USAGE") })
    }

    @Test("The help for manuals lists no internal command")
    func manual() async throws {
        let outcome = try await Command().run("--experimental-dump-help")
        #expect(outcome.status == 0 && outcome.text.contains("\"timelapse\""))
        #expect(!outcome.text.contains("record-plugins"))
    }

    @Test("The version is printed")
    func version() async throws {
        #expect(try await Command().run("--version").text.hasPrefix("gst-capture "))
    }

    @Test(
        "A usage error ends the command with status 64, and the message names the option or value",
        arguments: [
            (["snap", "--wdth", "3"], "--width"), (["timelapse", "--intervall", "3s"], "--interval"),
            (["snap", "a.jpg", "-o", "b.jpg"], "one is enough"), (["snap", "--width"], "--width"),
            (["nonsense"], "nonsense"), (["controls", "--set", "brightness"], "name=value"),
        ])
    func usage(arguments: [String], message: String) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(arguments, in: command.folder).outcome()
        #expect(outcome.status == 64)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.output.isEmpty)
    }

    @Test("Completions contain the commands and options", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let outcome = try await Command().run("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("timelapse") && outcome.text.contains("framerate"))
    }
}
