// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FilmKit
import Foundation
import PipelineKit
import Testing

@testable import FilmCommands

@Suite("Contact sheets", .timeLimit(.minutes(5)))
struct SheetTests {
    /// Makes pictures of the built-in scene, one of which is cut off, and a page of HTML.
    private static func fill(_ command: borrowing Command, _ count: Int = 6) async throws {
        let line = ["snap", "--camera", "scene", "--width", "160", "--height", "120", "--settle", "off"]
        let outcome = try await RunningCommand(
            line + ["--burst", "\(count)", "-o", "frames/%03n.jpg"], in: command.folder
        ).outcome()
        try #require(outcome.status == 0, "\(outcome.error)")
        let cut = try command.bytes("frames/003.jpg")
        try cut.prefix(cut.count / 2).write(to: command.folder.appendingPathComponent("frames/003.jpg"))
        try command.write("<html><body>404 Not Found</body></html>", to: "frames/404.jpg")
    }

    @Test func `A folder as users have it becomes a sheet, with an honest report`() async throws {
        let command = try Command()
        try await Self.fill(command)
        let plan = try await command.run("sheet", "frames", "--dry-run", "--size", "1200")
        #expect(
            plan.status == 0 && plan.lines.first?.hasPrefix("6 pictures on 1 sheet of 1200x") == true, "\(plan.text)")
        #expect(try command.files().allSatisfy { $0.hasPrefix("frames") })
        let outcome = try await command.run("sheet", "frames", "--json", "--size", "1200")
        #expect(outcome.status == 0, "\(outcome.error)")
        let event = try #require(try outcome.events.last)
        #expect(event.name == "finished" && event["pictures"] == 5 && event["of"] == 6 && event["complete"] == true)
        let text = try #require(outcome.lines.last)
        #expect(text.contains(#""files":["sheet.jpg"]"#))
        #expect(text.contains(#"{"file":"404.jpg","reason":"is neither a JPEG nor a PNG picture"}"#), "\(text)")
        #expect(text.contains(#""file":"003.jpg","reason":"is not a complete JPEG picture"#))
        #expect(try command.bytes("sheet.jpg").isJPEG)
        #expect(try DecodedPicture(command.bytes("sheet.jpg")).size.hasPrefix("1200 "))
    }

    @Test func `Many pictures go on several sheets, whose paths are printed`() async throws {
        let command = try Command()
        try await Self.fill(command, 12)
        let outcome = try await command.run(
            "sheet", "frames", "--most", "0", "--columns", "2", "--size", "640", "-o", "out/a.png", "--quiet")
        #expect(outcome.status == 0 && outcome.lines.count > 1, "\(outcome.error)")
        #expect(outcome.lines.prefix(2) == ["out/a.png", "out/a-2.png"])
        for path in outcome.lines { #expect(try command.bytes(path).isPNG) }
        let again = try await command.run("sheet", "frames", "-o", "out/a.png")
        #expect(again.status == 73 && again.error.contains("out/a.png: exists already"), "\(again.error)")
        #expect(try await command.run("sheet", "frames", "-o", "out/a.png", "--overwrite").status == 0)
    }

    @Test(arguments: ["printf '%s\\n' frames/001.jpg frames/002.jpg", "find frames -name '00[12].jpg' -print0"])
    func `A list of paths on standard input is a sheet and a film`(list: String) async throws {
        let command = try Command()
        try await Self.fill(command)
        for arguments in [["sheet", "-", "--json"], ["film", "-", "--json"]] {
            let outcome = try await RunningCommand(
                arguments, in: command.folder, launcher: ["/bin/bash", "-c", "\(list) | \"$0\" \"$@\""]
            ).outcome()
            let event = try #require(try outcome.events.last)
            #expect(outcome.status == 0 && event.name == "finished", "\(outcome.error)")
            let (pictures, frames): (Int?, Int?) = (event["pictures"], event["frames"])
            #expect(pictures ?? frames == 2)
        }
        let empty = try await RunningCommand(
            ["film", "-"], in: command.folder, launcher: ["/bin/bash", "-c", "\"$0\" \"$@\" </dev/null"]
        ).outcome()
        #expect(empty.status == 66 && empty.error.contains("standard input: has no pictures"), "\(empty.error)")
    }

    @Test func `An album is found by its title, by time, and its sheet has the title`() async throws {
        let command = try Command()
        try await Self.fill(command)
        try FileManager.default.removeItem(at: command.folder.appendingPathComponent("frames/404.jpg"))
        let state = ["STATE_DIRECTORY": command.folder.path + "/state"]
        let none = try await command.run("sheet", "--album", "Garden 2026", environment: state)
        #expect(none.status == 66, "\(none.error)")
        #expect(none.errorLines.first == "gst-capture: Garden 2026: there is no such album", "\(none.error)")
        for arguments in [["scan", "frames"], ["album", "create", "Garden 2026"]] {
            let outcome = try await RunningCommand(
                ["library"] + arguments, in: command.folder, environment: state
            ).outcome()
            try #require(outcome.status == 0, "\(outcome.error)")
        }
        let ids = try await command.run("library", "search", "--quiet", environment: state).lines
        // The newest first, so that names and times have different orders.
        let add = ["library", "album", "add", "Garden 2026"] + ids.prefix(3)
        try #require(try await RunningCommand(add, in: command.folder, environment: state).outcome().status == 0)
        let folder = try await command.run("library", "album", "path", "Garden 2026", environment: state).lines
        #expect(folder.first?.hasPrefix(command.folder.path) == true && folder.count == 1)
        for name in ["sheet", "film"] {
            let outcome = try await command.run(name, "--album", "Garden 2026", "--json", environment: state)
            let event = try #require(try outcome.events.last)
            let (pictures, frames): (Int?, Int?) = (event["pictures"], event["frames"])
            #expect(outcome.status == 0 && pictures ?? frames == 3, "\(outcome.error)")
            #expect(event["source"] == "Garden 2026")
            // Times that rise from picture to picture are not set back.
            #expect(outcome.lines.last?.contains(#""clock_set_back":[]"#) == true)
        }
        let paths = try await command.run("library", "search", "--paths", environment: state).lines
        #expect(paths.count == ids.count && paths.allSatisfy(FileManager.default.fileExists))
    }

    @Test func `Ctrl-C leaves the sheets that are complete`() async throws {
        let command = try Command()
        try await Self.fill(command, 40)
        let process = try command.start(
            "sheet", "frames", "--most", "0", "--columns", "1", "--size", "4000", "--json")
        _ = try await process.event("written")
        process.send(SIGINT)
        let outcome = await process.outcome()
        let event = try #require(try outcome.events.last)
        // A fast machine can be done before the signal.
        guard event["complete"] == false else { return #expect(outcome.status == 0) }
        #expect(outcome.status == 130 && event.name == "finished")
        let sheets = try command.files().filter { $0.hasPrefix("sheet") }
        #expect(!sheets.isEmpty)
        for name in sheets { #expect(try command.bytes(name).isJPEG) }
    }

    @Test func `Mistakes are one line each, and nothing is left behind`() async throws {
        let command = try Command()
        try await Self.fill(command)
        for (arguments, status, text) in [
            (["frames", "-o", "a.gif"], 64, "--output: a.gif is not the name of a JPEG or PNG file"),
            (["frames", "-o", "out/"], 64, "--output: out/ is not the name of a JPEG or PNG file"),
            (["frames", "--most=-1"], 64, "--most: -1 is out of range; give 0 or more"),
            (["frames", "--most", "5", "--every", "1h"], 64, "--most and --every: one is enough"),
            (["frames", "--every", "soon"], 64, "--every: "),
            (["frames", "--columns", "0"], 64, "--columns: 0 is out of range; give 1 to 100"),
            (["frames", "--columns", "90", "--size", "640"], 64, "90 columns are too many for a sheet of 640 pixels"),
            (["frames", "--size", "10"], 64, "--size: 10 is out of range; give 640 to 16000"),
            (["frames", "--caption", "all"], 64, "--caption: \"all\" is not known; give time, name or none"),
            (["frames", "--order", "size"], 64, "--order: \"size\" is not known; give name or time"),
            (["frames", "--album", "A"], 64, "one is enough"), ([], 64, "name a folder"),
            (["frames", "--camera", "B"], 66, "frames: has no pictures of the camera \"B\""),
            (["frames", "--until", "1990-01-01"], 66, "frames: has no pictures of this time"),
            (["none"], 66, "none: there is no such file or folder"),
            (["frames/001.jpg"], 66, "is neither a folder nor a ledger"),
        ] as [([String], Int32, String)] {
            let outcome = try await RunningCommand(["sheet"] + arguments, in: command.folder).outcome()
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            let error = outcome.error.replacing("\n  → ", with: "; ").replacing("\n  -> ", with: "; ")
            #expect(error.contains(text), "\(arguments): \(error)")
        }
        #expect(try command.files().allSatisfy { $0.hasPrefix("frames") })
    }

    @Test(arguments: [
        ("", []), ("a.jpg", ["a.jpg"]), ("a.jpg\nb c.jpg\r\n\n", ["a.jpg", "b c.jpg"]),
        ("a\nb.jpg\0c.jpg\0", ["a\nb.jpg", "c.jpg"]),
    ])
    func `Paths of a list end with a line or with NUL`(text: String, paths: [String]) {
        #expect(PictureList.paths(in: Array(text.utf8)) == paths)
    }
}
