// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import gst_capture

@Suite("The selection of plugins", .timeLimit(.minutes(5)))
struct PluginSelectionTests {
    @Test(
        "Only captures with our own pipelines use the selection",
        arguments: [
            ("snap", true), ("snap --camera scene -o a.png", true), ("timelapse --interval 1s", true),
            ("preview", false), ("session run avatar", false), ("doctor", false), ("", false),
            ("snap --source videotestsrc", false), ("snap --source=videotestsrc", false), ("snap --decode auto", false),
            ("timelapse --preset rtsp", false), ("snap -p rtsp", false), ("snap -prtsp", false),
            ("timelapse -ip 10s rtsp", false), ("snap --live", false),
            ("timelapse -i 1m --film day", false), ("timelapse --film-rate 25 -i 1m", false),
        ])
    func suits(line: String, expected: Bool) {
        #expect(PluginSelection.suits(line.split(separator: " ").map(String.init)) == expected)
    }

    /// Captures in a separate folder with separate caches, and reports which registry GStreamer reads.
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

        /// Captures until a capture uses the selection: GStreamer writes the whole registry, finds nothing to change,
        /// and the selection is made. If a slow machine takes longer than ten seconds for that, the next capture tries
        /// again.
        func begin() async throws {
            let line = "snap --camera scene -o begin.jpg --overwrite"
            for _ in 0..<3 { _ = try await run(line) }
            while try await !run(line).1 { try Task.checkCancellation() }
        }
    }

    @Test("Captures read the registry of the selection, and each format, turn and layer works")
    func use() async throws {
        let captures = try Captures()
        try await captures.begin()
        for line in [
            "snap --camera scene -o a.jpg", "snap --camera scene -o a.png", "snap --camera scene -o a.webp",
            "snap --camera scene -o a.raw", "snap --camera scene --rotate 90 --flip horizontal -o b.png",
            "snap --camera scene --encoding jpeg --quality 50 --width 320 --height 240 -o c.jpg",
            "snap --camera scene --burn-in card -o d.jpg",
            "timelapse --camera scene --interval 50ms --count 3 --recover off -o e%n.jpg",
        ] {
            #expect(try await captures.run(line).1, "\(line)")
        }
        #expect(try captures.command.bytes("a.jpg").isJPEG)
        #expect(try captures.command.bytes("b.png").isPNG)
    }

    @Test("Captures with elements of the user read the whole registry")
    func elements() async throws {
        let captures = try Captures()
        try await captures.begin()
        #expect(try await !captures.run("snap --source videotestsrc -o a.jpg").1)
        let variables = ["GST_CAPTURE_SOURCE": "videotestsrc ! identity"]
        #expect(try await !captures.run("snap -o b.jpg", variables).1)
    }

    @Test("The selection is made again for another registry, or if one of its files is missing")
    func stale() async throws {
        let captures = try Captures()
        try await captures.begin()
        #expect(try await !captures.run("snap --camera scene -o a.jpg", ["LADSPA_PATH": "/none"]).1)
        for name in ["plugins.bin", "plugins", "plugins/libgstjpeg.so"] {
            try await captures.begin()
            let path = captures.command.folder.appending(path: "caches/gst-capture/" + name)
            try FileManager.default.removeItem(at: path)
            #expect(try await !captures.run("snap --camera scene -o b.jpg --overwrite").1, "\(name)")
        }
        try await captures.begin()
        #expect(try await captures.run("snap --camera scene -o c.jpg").1)
    }

    @Test("A timelapse does not need the files of the selection after its start")
    func independent() async throws {
        let captures = try Captures()
        try await captures.begin()
        try captures.command.write("rm -r caches/gst-capture", to: "clean.sh")
        let variables = ["GST_CAPTURE_EXEC_BEFORE": "sh clean.sh"]
        let (outcome, isUsed) = try await captures.run(
            "timelapse --camera scene --encoding png --rotate 90 --interval 1s --delay 1s --count 2 --recover off "
                + "-o %n.png",
            variables)
        #expect(isUsed)
        // A machine that stands still may miss a slot.
        let files = try captures.command.files().filter { $0.hasSuffix(".png") }
        #expect(!files.isEmpty && files == outcome.lines)
        #expect(files.count == 2 || outcome.error.contains("missed"))
    }

    @Test("A selection that cannot be made is tried three times at most")
    func attempts() async throws {
        let captures = try Captures()
        for _ in 0..<2 { _ = try await captures.run("snap --camera scene -o a.jpg --overwrite") }
        let folder = captures.command.folder.appending(path: "caches/gst-capture")
        // A folder in place of the registry.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "plugins.bin/full"), withIntermediateDirectories: true)
        var stamps: [Data] = []
        for _ in 0..<5 {
            _ = try await captures.run("snap --camera scene -o a.jpg --overwrite")
            stamps.append(try captures.command.bytes("caches/gst-capture/selection"))
        }
        #expect(Set(stamps).count == 3 && stamps[2] == stamps[4])
    }

    @Test("Hooks do not inherit the variables of the selection")
    func hooks() async throws {
        let captures = try Captures()
        try await captures.begin()
        try captures.command.write("#!/bin/sh\nenv > seen\n", to: "hook.sh")
        let variables = ["GST_CAPTURE_EXEC_AFTER": "sh hook.sh"]
        let (_, isUsed) = try await captures.run("snap --camera scene -o a.jpg", variables)
        #expect(isUsed)
        let seen = String(decoding: try captures.command.bytes("seen"), as: UTF8.self)
        #expect(seen.contains("CAPTURE_FILE=") && !seen.contains("GST_REGISTRY") && !seen.contains("GST_PLUGIN"))
        _ = try await captures.run("snap --preset scene -o b.jpg", variables)
        #expect(try !String(decoding: captures.command.bytes("seen"), as: UTF8.self).contains("GST_REGISTRY"))
    }
}
