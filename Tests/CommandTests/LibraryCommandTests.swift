// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("The library command", .timeLimit(.minutes(5)))
struct LibraryCommandTests {
    /// A folder with a time lapse of three pictures and two single ones.
    private func pictures() async throws -> Command {
        while true {
            let command = try await takePictures()
            // A busy machine can miss a slot.
            if try command.files().count(where: { $0.hasSuffix(".jpg") }) == 5 { return command }
        }
    }

    private func takePictures() async throws -> Command {
        let command = try Command()
        let small = ["--camera", "scene", "--width", "160", "--height", "120", "--settle", "off"]
        let series = ["timelapse", "--interval", "100ms", "--count", "3", "-o", "pictures/garden/%n.jpg"]
        let burst = ["snap", "--burst", "2", "-o", "pictures/single-%n.jpg"]
        for arguments in [series, burst] {
            let outcome = try await RunningCommand(arguments + small, in: command.folder).outcome()
            try #require(outcome.status == 0, "\(outcome.error)")
        }
        return command
    }

    private func run(_ command: borrowing Command, _ arguments: String...) async throws -> RunningCommand.Outcome {
        try await RunningCommand(
            ["library"] + arguments + ["--state", "state", "--board", "test"], in: command.folder
        ).outcome()
    }

    @Test("Pictures of a folder are found, tagged and found by their tags, also after a rebuild")
    func tagged() async throws {
        let command = try await pictures()
        let scan = try await run(command, "scan", "pictures")
        #expect(scan.status == 0 && scan.error.contains("5 new or changed, 0 gone"), "\(scan.error)")
        let series = try await run(command, "search", "kind:still", "--json").events
        #expect(series.count == 3)
        let name: String? = try #require(series.first)["series"]
        #expect(name?.hasPrefix("garden-") == true)
        let single = try await run(command, "search", "kind:file", "--quiet").lines
        #expect(single.count == 2 && single.allSatisfy { $0.hasPrefix("test.i-") })
        let tag = try await run(command, "tag", "first snow", single[0])
        #expect(tag.status == 0 && tag.error == "1 picture changed\n", "\(tag.error)")
        #expect(try await run(command, "search", #"tag:"first snow""#, "--quiet").lines == [single[0]])
        #expect(try command.files().filter { $0.hasSuffix(".jpg.xmp") }.count == 1)
        let rebuild = try await run(command, "rebuild")
        #expect(rebuild.status == 0 && rebuild.error == "5 pictures\n", "\(rebuild.error)")
        #expect(try await run(command, "search", "snow", "--quiet").lines == [single[0]])
        #expect(try await run(command, "tags").text == "first snow  1\n")
    }

    @Test("A recording of the command is found with its length, imported, verified and exported")
    func movies() async throws {
        let command = try Command()
        let recording = [
            "record", "--source", "videotestsrc is-live=true ! video/x-raw,width=320,height=240", "--for", "1s",
        ]
        let recorded = try await RunningCommand(recording + ["-o", "card/clip.mp4"], in: command.folder).outcome()
        try #require(recorded.status == 0, "\(recorded.error)")
        let imported = try await run(command, "import", "card", "--to", "pictures")
        #expect(imported.status == 0 && imported.error.contains("1 imported"), "\(imported.error)")
        let found = try #require(try await run(command, "search", "kind:file", "--json").events.first)
        let (length, width): (Double?, Int?) = (found["duration_ms"], found["width"])
        #expect(try abs(#require(length) - 1000) < 200 && width == 320)
        #expect(try await run(command, "search").text.contains("clip.mp4  0:01"))
        #expect(try await run(command, "search", "kind:clip", "--quiet").lines.isEmpty)
        #expect(try await run(command, "verify").error.contains("1 as they were"))
        #expect(try await run(command, "export", "out").error.hasPrefix("1 copied"))
        #expect(try command.bytes("out/clip.mp4") == command.bytes("card/clip.mp4"))
    }

    @Test("Nothing that the library does changes a picture or its ledger")
    func unchanged() async throws {
        let command = try await pictures()
        _ = try await run(command, "scan", "pictures")
        let ids = try await run(command, "search", "--quiet").lines
        for id in ids { _ = try await run(command, "rate", "3", id) }
        #expect(try await run(command, "verify").status == 0)
        let ledger = try await command.run("ledger", "pictures/garden", "--verify")
        #expect(ledger.status == 0, "\(ledger.text)")
    }

    @Test("An import copies pictures once, and an export copies them back with their tags")
    func copies() async throws {
        let command = try await pictures()
        let first = try await run(command, "import", "pictures", "--to", "imports")
        #expect(first.status == 0 && first.error.contains("5 imported"), "\(first.error)")
        let second = try await run(command, "import", "pictures", "--to", "imports")
        #expect(second.status == 0 && second.error.contains("0 imported, 5 known"), "\(second.error)")
        let id = try #require(try await run(command, "search", "--quiet").lines.first)
        _ = try await run(command, "title", "Best of all", id)
        let export = try await run(command, "export", "best", "best")
        #expect(export.status == 0 && export.error.hasPrefix("1 copied"), "\(export.error)")
        #expect(try command.files().filter { $0.hasPrefix("best/") }.count == 2)
        let archive = try await run(command, "export", "best.zip", "best")
        #expect(archive.status == 0 && archive.error.hasPrefix("1 copied"), "\(archive.error)")
        let again = try await run(command, "export", "best.zip", "best")
        #expect(again.status == 73 && again.error.contains("best.zip: exists already"), "\(again.error)")
    }

    @Test(
        "A mistake is one line with its remedy and its status, and changes nothing",
        arguments: [
            (["scan", "nowhere"], 66, "there is no such folder"), (["scan"], 64, "no folder was scanned before"),
            (["tag", "snow", "test.garden-1"], 66, "there is no such picture"),
            (["show", "nonsense"], 66, "there is no such picture"),
            (["search", "stars:9"], 64, "is not a number of stars"),
            (["search", "after:yesterday"], 64, "is not a date"),
            (["rate", "6", "test.garden-1"], 64, "not a number of stars"),
            (["import", "nowhere"], 66, "there is no such folder"), (["export", "/proc/x"], 0, "0 copied"),
            (["search", "--limit", "-1"], 64, "limit"), (["serch"], 64, "serch"),
        ])
    func mistakes(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            ["library"] + arguments + (arguments == ["serch"] ? [] : ["--state", "state"]), in: command.folder
        ).outcome()
        #expect(outcome.status == status && outcome.error.contains(words), "\(outcome.status) \(outcome.error)")
        #expect(try command.files().allSatisfy { $0.hasPrefix("state") })
    }

    @Test("The index of a state folder that cannot be made is status 73 or 77")
    func unwritable() async throws {
        let command = try Command()
        let outcome = try await command.run("library", "search", "--state", "/proc/library")
        #expect([73, 77].contains(outcome.status) && outcome.error.contains("/proc"), "\(outcome.error)")
    }

    @Test("The sidecars of many pictures become durable together")
    func together() async throws {
        let command = try await pictures()
        let single = try #require(try command.files().first { $0.hasPrefix("pictures/single-") })
        let bytes = try command.bytes(single)
        for number in 0..<40 {
            let path = command.folder.appendingPathComponent("pictures/\(number).jpg")
            try (bytes + Data("\(number)".utf8)).write(to: path)
        }
        _ = try await run(command, "scan", "pictures")
        let ids = try await run(command, "search", "kind:file", "--quiet", "--limit", "0").lines
        let library = try command.library(
            """
            #include <fcntl.h>
            int fsync(int file) {
                int count = open("calls", O_WRONLY | O_CREAT | O_APPEND, 0600);
                write(count, "x", 1);
                close(count);
                return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
            }
            """)
        let outcome = try await RunningCommand(
            ["library", "tag", "snow"] + ids + ["--state", "state", "--board", "test"], in: command.folder,
            environment: ["LD_PRELOAD": library]
        ).outcome()
        #expect(outcome.status == 0 && outcome.error == "42 pictures changed\n", "\(outcome.error)")
        #expect(try command.files().count { $0.hasSuffix(".jpg.xmp") } == 42)
        #expect(try command.bytes("calls").count < 42)
    }

    @Test("A damaged index is replaced, and the next change fills it again first")
    func damaged() async throws {
        let command = try await pictures()
        _ = try await run(command, "scan", "pictures")
        let id = try #require(try await run(command, "search", "--quiet").lines.first)
        let path = command.folder.appendingPathComponent("state/library/index.db")
        try Data(repeating: 0x55, count: 100_000).write(to: path)
        for name in ["index.db-wal", "index.db-shm"] {
            try? FileManager.default.removeItem(at: path.deletingLastPathComponent().appendingPathComponent(name))
        }
        #expect(try await run(command, "search", "--quiet").lines.isEmpty)
        let delete = try await run(command, "delete", id)
        #expect(delete.status == 0 && delete.error.hasPrefix("1 picture "), "\(delete.error)")
        #expect(try await run(command, "restore", id).status == 0)
        #expect(try await run(command, "search", "--quiet").lines.count == 5)
    }
}
