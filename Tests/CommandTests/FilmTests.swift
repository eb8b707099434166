// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FilmKit
import Foundation
import PipelineKit
import Testing
import VideoKit

@testable import FilmCommands

@Suite("Films", .timeLimit(.minutes(10)))
struct FilmTests {
    /// Makes pictures of a moving ball.
    private static func make(
        _ count: Int, in command: borrowing Command, _ name: String = "frames/%05d.jpg", width: Int = 64,
        height: Int = 48
    ) async throws {
        let path = command.folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=\(count) pattern=ball ! video/x-raw,format=I420,width=\(width),height=\(height) "
                + "! jpegenc ! multifilesink location=\(path.path) post-messages=true")
        try await pipeline.play()
        for await message in pipeline.bus.messages() {
            if case .endOfStream = message.content { break }
        }
        try await pipeline.stop()
    }

    /// Adds tags to a picture: its time, its camera, and its orientation.
    private static func tag(
        _ name: String, at seconds: Int64, _ camera: String, _ orientation: Orientation = .upright,
        in command: borrowing Command
    ) throws {
        let bytes = [UInt8](try command.bytes(name))
        let head = try #require(PictureHead(bytes))
        let time = WallTime(seconds: 1_760_000_000 + seconds, nanoseconds: 0, utcOffset: 0)
        var metadata = StillMetadata(captured: time, width: head.width, height: head.height)
        (metadata.model, metadata.orientation) = (camera, orientation)
        try Data(metadata.embedded(in: bytes, .jpeg)).write(to: command.folder.appendingPathComponent(name))
    }

    /// A folder as users have it: missing numbers, a page of HTML, a picture that is cut off, an odd height, a portrait
    /// picture, two cameras, and a clock that was set back.
    private static func fill(_ command: borrowing Command) async throws {
        try await make(30, in: command, width: 64, height: 49)
        for place in 0..<30 {
            let seconds = Int64(place) * 10 - (place >= 20 ? 3600 : 0)
            try tag(String(format: "frames/%05d.jpg", place), at: seconds, place < 25 ? "A" : "B", in: command)
        }
        for place in 5...7 {
            try FileManager.default.removeItem(
                at: command.folder.appendingPathComponent(String(format: "frames/%05d.jpg", place)))
        }
        try command.write("<html><body>404 Not Found</body></html>", to: "frames/00008.jpg")
        let cut = try command.bytes("frames/00010.jpg")
        try cut.prefix(cut.count / 2).write(to: command.folder.appendingPathComponent("frames/00010.jpg"))
        try tag("frames/00012.jpg", at: 120, "A", .turnedRight, in: command)
    }

    @Test func `A folder as users have it becomes a film, with an honest report`() async throws {
        let command = try Command()
        try await Self.fill(command)
        let plan = try await command.run("film", "frames", "--dry-run")
        #expect(
            plan.status == 0 && plan.lines.first == "26 pictures, 0:01 at 30 a second, 64x48",
            "\(plan.text)\(plan.error)")
        #expect(try command.files().allSatisfy { $0.hasPrefix("frames") })
        let outcome = try await command.run("film", "frames", "-o", "film.mp4", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let event = try #require(try outcome.events.last)
        #expect(event.name == "finished" && event["file"] == "film.mp4" && event["frames"] == 25)
        let text = try #require(outcome.lines.last)
        #expect(text.contains(#"{"file":"00008.jpg","reason":"is neither a JPEG nor a PNG picture"}"#), "\(text)")
        #expect(text.contains(#""file":"00010.jpg","reason":"is not a complete JPEG picture"#))
        #expect(text.contains(#""missing":4,"held":0"#) && text.contains(#""name":"A","count":21"#))
        #expect(text.contains(#""clock_set_back":[{"file":"00020.jpg","by_ms":3590000}]"#))
        #expect(text.contains(#"{"name":"64x49","count":25},{"name":"49x64","count":1}"#))
        let report = try ClipFile.finalize(command.folder.path + "/film.mp4")
        #expect(report.wasOrdinary && report.tracks.first?.sampleCount == 25)
        #expect(try command.files().contains(".film.mp4.film") == false)
    }

    @Test func `A film that is killed plays, and the same command continues it to the same film`() async throws {
        let command = try Command()
        // Large enough that no film is complete before the signal comes.
        try await Self.make(1510, in: command, width: 960, height: 540)
        let whole = try await command.run("film", "frames", "-o", "whole.mp4")
        #expect(whole.status == 0 && whole.text == "whole.mp4\n", "\(whole.error)")
        let process = try command.start("film", "frames", "-o", "part.mp4", "--json")
        _ = try await process.event("saved")
        process.send(SIGKILL)
        _ = await process.outcome()
        // A second kill, of the run that continues.
        let second = try command.start("film", "frames", "-o", "part.mp4", "--json")
        let resumed = try await second.event("resumed")
        let first: Int = try #require(resumed["pictures"])
        #expect(first >= 500 && first.isMultiple(of: 500))
        _ = try await second.event("saved")
        second.send(SIGKILL)
        _ = await second.outcome()
        let copy = command.folder.path + "/copy.mp4"
        try FileManager.default.copyItem(atPath: command.folder.path + "/part.mp4", toPath: copy)
        #expect(try ClipFile.finalize(copy).tracks.first?.sampleCount ?? 0 >= 1000)
        let end = try await command.run("film", "frames", "-o", "part.mp4", "--json")
        let finished = try #require(try end.events.last)
        #expect(end.status == 0 && finished["frames"] == 1510, "\(end.error)")
        #expect(try command.bytes("part.mp4") == command.bytes("whole.mp4"))
        #expect(try command.files().filter { $0.contains("mp4") } == ["copy.mp4", "part.mp4", "whole.mp4"])
    }

    @Test func `Ctrl-C leaves a film of the pictures so far`() async throws {
        let command = try Command()
        // Large enough that no film is complete before the signal comes.
        try await Self.make(1510, in: command, width: 960, height: 540)
        let process = try command.start("film", "frames", "-o", "film.mp4", "--json")
        _ = try await process.event("saved")
        process.send(SIGINT)
        let outcome = await process.outcome()
        let event = try #require(try outcome.events.last)
        // A fast machine can be done before the signal.
        guard event["complete"] == false else { return #expect(outcome.status == 0) }
        #expect(outcome.status == 130 && event.name == "finished")
        let report = try ClipFile.finalize(command.folder.path + "/film.mp4")
        #expect(report.wasOrdinary && report.tracks.first?.sampleCount == event["frames"])
        let end = try await command.run("film", "frames", "-o", "film.mp4")
        #expect(end.status == 0 && end.error.contains("continuing after"), "\(end.error)")
        #expect(try ClipFile.finalize(command.folder.path + "/film.mp4").tracks.first?.sampleCount == 1510)
    }

    @Test func `The time is burnt into the pictures`() async throws {
        let command = try Command()
        try await Self.make(3, in: command, width: 320, height: 240)
        for options in [[], ["--time"], ["--time-format", "%H"]] {
            let outcome = try await RunningCommand(
                ["film", "frames", "--overwrite"] + options, in: command.folder
            ).outcome()
            #expect(outcome.status == 0 && outcome.text == "film.mp4\n", "\(outcome.error)")
        }
    }

    @Test func `Mistakes are one line each, and nothing is left behind`() async throws {
        let command = try Command()
        try await Self.make(2, in: command)
        try FileManager.default.createDirectory(
            at: command.folder.appendingPathComponent("empty"), withIntermediateDirectories: true)
        try command.write("no movie", to: "text.mp4")
        for (arguments, status, text) in [
            (["frames", "-o", "film.avi"], 64, "--output: film.avi is not the name of an MP4 file; end it in .mp4"),
            (["frames", "--rate", "0"], 64, "--rate: \"0\" is not a rate of 0.1 to 120; give one such as 30 or 12.5"),
            (["frames", "--rate", "30", "--length", "5s"], 64, "--rate and --length: one is enough"),
            (["frames", "--length", "1ms"], 64, "frames: 2 pictures do not make a film of 1ms; give a --length of"),
            (
                ["frames", "--size", "641x480"], 64,
                "--size: \"641x480\" is not a size of a film; give two even numbers"
            ),
            (["frames", "--crop", "10x10"], 64, "--crop: \"10x10\" is not a part of a picture"),
            (["frames", "--gaps", "skip"], 64, "--gaps: \"skip\" is not known; give jump or hold"),
            (["frames", "--quality", "99"], 64, "--quality: 99 is out of range; give 0 to 51"),
            (["frames", "--codec", "mpeg2"], 64, "--codec: \"mpeg2\" is not an encoder of H.264"),
            (["frames", "--since", "soon"], 64, "--since: \"soon\" is not a time"),
            (
                ["frames", "--camera", "B"], 66,
                "frames: has no pictures of the camera \"B\"; choose one of \"unknown\""
            ),
            (["frames", "-o", "text.mp4"], 73, "text.mp4: exists already; use --overwrite, or choose another name"),
            (["empty"], 66, "empty: has no pictures; name a folder with JPEG or PNG files, or a ledger"),
            (["none"], 66, "none: there is no such file or folder"),
            (["text.mp4"], 66, "is neither a folder nor a ledger"),
        ] as [([String], Int32, String)] {
            let outcome = try await RunningCommand(["film"] + arguments, in: command.folder).outcome()
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            let error = outcome.error.replacing("\n  → ", with: "; ").replacing("\n  -> ", with: "; ")
            #expect(error.contains(text), "\(arguments): \(error)")
        }
        #expect(try command.files().filter { !$0.hasPrefix("frames") } == ["empty", "text.mp4"])
        #expect(try command.bytes("text.mp4") == Data("no movie".utf8))
    }

    @Test(arguments: [("30", 30, 1), ("12.5", 12500, 1000), ("30000/1001", 30000, 1001), ("0.1", 100, 1000)])
    func `A rate is a number or a fraction`(text: String, above: Int32, below: Int32) throws {
        #expect(try FilmText.rate(text) == Fraction(above, below))
    }

    @Test(arguments: [
        "", "x", "-1", "121", "1/0", "0/1", "1/1/1", "nan", "inf", "1e9", "1000000000000", "30/-1", "5/2147483647",
    ])
    func `Other rates are refused`(text: String) { #expect(throws: CaptureError.self) { try FilmText.rate(text) } }

    @Test(arguments: [
        "", "x", "1x1+0+0", "10x10+0", "10x10+0+0+0", "10+10x0+0", "-1x10+0+0", "9999999x10+0+0", "10x10x0+0",
    ])
    func `Other parts of a picture are refused`(text: String) {
        #expect(throws: CaptureError.self) { try FilmText.crop(text) }
    }

    @Test func `The remaining time follows from the speed so far`() {
        #expect(JobPrinter.left(100, 300, in: .seconds(10)) == .seconds(30))
        #expect(JobPrinter.left(0, 300, in: .seconds(10)) == .zero)
    }
}
