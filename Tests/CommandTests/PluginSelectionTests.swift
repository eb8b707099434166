// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import gst_capture

@Suite("The selection of plugins", .timeLimit(.minutes(5)))
struct PluginSelectionTests {
    @Test(
        "Only captures with our own pipelines use it",
        arguments: [
            ("snap", true), ("snap --camera scene -o a.png", true), ("timelapse --interval 1s", true),
            ("preview", false), ("session run avatar", false), ("doctor", false), ("", false),
            ("snap --source videotestsrc", false), ("snap --source=videotestsrc", false), ("snap --decode auto", false),
            ("timelapse --preset rtsp", false), ("snap -p rtsp", false), ("snap -prtsp", false),
        ])
    func suits(line: String, expected: Bool) {
        #expect(PluginSelection.suits(line.split(separator: " ").map(String.init)) == expected)
    }

    /// Captures in a folder of its own, with caches of its own, and reports which registry GStreamer reads.
    private struct Captures: ~Copyable {
        let command: Command
        private let environment: [String: String]

        init() throws {
            let command = try Command()
            let library = try command.library(
                """
                int gst_init_check(int *count, char ***arguments, void *error) {
                    const char *registry = getenv("GST_REGISTRY_1_0");
                    fprintf(stderr, "registry: %s\\n", registry ? registry : "whole");
                    int (*real)(int *, char ***, void *) = dlsym(RTLD_NEXT, "gst_init_check");
                    return real(count, arguments, error);
                }
                """)
            environment = ["XDG_CACHE_HOME": command.folder.path + "/caches", "LD_PRELOAD": library]
            self.command = command
        }

        /// Runs a command. Returns its outcome, and `true` if it used the selection.
        func run(_ line: String, _ variables: [String: String] = [:]) async throws -> (RunningCommand.Outcome, Bool) {
            let words = line.split(separator: " ").map(String.init)
            let outcome = try await RunningCommand(
                words, in: command.folder, environment: environment.merging(variables) { $1 }
            ).outcome()
            #expect(outcome.status == 0, "\(line): \(outcome.error)")
            return (outcome, outcome.error.contains("registry: \(command.folder.path)/caches/gst-capture/plugins.bin"))
        }

        /// Captures until a capture uses the selection. A process that makes it can outlive the capture that starts it.
        func begin() async throws {
            var runs = 0
            while try await !run("snap --camera scene -o begin.jpg --overwrite").1 {
                runs += 1
                try #require(runs < 100)
            }
        }
    }

    @Test("Later captures read its registry, and each format, turn and layer works")
    func use() async throws {
        let captures = try Captures()
        try await captures.begin()
        for line in [
            "snap --camera scene -o a.jpg", "snap --camera scene -o a.png", "snap --camera scene -o a.webp",
            "snap --camera scene -o a.raw", "snap --camera scene --rotate 90 --flip horizontal -o b.png",
            "snap --camera scene --encoding jpeg --quality 50 --width 320 --height 240 -o c.jpg",
            "snap --camera scene --burn-in card -o d.jpg",
            "timelapse --camera scene --interval 50ms --count 3 -o e%n.jpg",
        ] {
            #expect(try await captures.run(line).1, "\(line)")
        }
        #expect(try captures.command.bytes("a.jpg").isJPEG)
        #expect(try captures.command.bytes("b.png").isPNG)
    }

    @Test("Elements of the user need the whole registry")
    func elements() async throws {
        let captures = try Captures()
        try await captures.begin()
        #expect(try await !captures.run("snap --source videotestsrc -o a.jpg").1)
        let variables = ["GST_CAPTURE_SOURCE": "videotestsrc ! identity"]
        #expect(try await !captures.run("snap -o b.jpg", variables).1)
    }

    @Test("Another state of the registry, or a missing file, makes it anew")
    func stale() async throws {
        let captures = try Captures()
        try await captures.begin()
        #expect(try await !captures.run("snap --camera scene -o a.jpg", ["LADSPA_PATH": "/none"]).1)
        try await captures.begin()
        let registry = captures.command.folder.appending(path: "caches/gst-capture/plugins.bin")
        try FileManager.default.removeItem(at: registry)
        #expect(try await !captures.run("snap --camera scene -o b.jpg").1)
        try await captures.begin()
    }

    @Test("Hooks do not inherit its variables")
    func hooks() async throws {
        let captures = try Captures()
        try await captures.begin()
        try captures.command.write("#!/bin/sh\nenv > seen\n", to: "hook.sh")
        let variables = ["GST_CAPTURE_EXEC_AFTER": "sh hook.sh"]
        let (_, isUsed) = try await captures.run("snap --camera scene -o a.jpg", variables)
        #expect(isUsed)
        let seen = String(decoding: try captures.command.bytes("seen"), as: UTF8.self)
        #expect(seen.contains("CAPTURE_FILE=") && !seen.contains("GST_REGISTRY") && !seen.contains("GST_PLUGIN"))
    }
}
