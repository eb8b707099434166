// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing
import VideoKit

@Suite("Recordings", .timeLimit(.minutes(5)))
struct RecordTests {
    private static let source = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1"

    private func start(_ command: borrowing Command, _ arguments: String...) throws -> RunningCommand {
        try RunningCommand(["record", "--source", Self.source, "--json"] + arguments, in: command.folder)
    }

    /// An ordinary MP4 file with these pictures: finalizing it changes nothing.
    private func checkWhole(_ event: Event, in command: borrowing Command) throws -> ClipFile.Report {
        let name: String = try #require(event["file"])
        let report = try ClipFile.finalize(command.folder.appendingPathComponent(name).path)
        #expect(report.wasOrdinary && report.tracks.first?.sampleCount == event["frames"])
        return report
    }

    @Test func `A recording of a second has its pictures, and its path is printed`() async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            ["record", "--source", Self.source, "--for", "1s", "-o", "clip.mp4"], in: command.folder
        ).outcome()
        #expect(outcome.status == 0 && outcome.text == "clip.mp4\n", "\(outcome.error)")
        #expect(outcome.error.contains("320x240") && outcome.error.contains("recording clip.mp4"))
        let report = try ClipFile.finalize(command.folder.path + "/clip.mp4")
        #expect(report.wasOrdinary && report.tracks.count == 1)
        // A busy machine captures fewer of the 30 pictures of a second.
        let count = try #require(report.tracks.first).sampleCount
        #expect((2...31).contains(count), "\(count)")
    }

    @Test func `Segments follow each other with sound, and SIGINT ends the last one`() async throws {
        let command = try Command()
        let process = try start(
            command, "--segment", "1s", "-o", "%n.mp4", "--audio", "audiotestsrc is-live=true volume=0.1")
        for _ in 1...2 { _ = try await process.event("recorded") }
        process.send(SIGINT)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        // On a busy machine the signal comes later, and there are more files.
        let clips = try outcome.events.filter { $0.name == "recorded" }
        let names: [String] = clips.compactMap { $0["file"] }
        #expect(clips.count >= 3 && names == (1...clips.count).map { "\($0).mp4" })
        #expect(clips.compactMap { $0["reason"] } == Array(repeating: "segment", count: clips.count - 1) + ["stopped"])
        for (number, event) in clips.enumerated() {
            let report = try checkWhole(event, in: command)
            #expect(report.tracks.map(\.codec) == ["avc1", "mp4a"])
            // The last picture of all lasts as long as the one before it, which a busy machine may capture late.
            guard number < clips.count - 1 else { continue }
            let (video, sound) = (report.tracks[0].duration, report.tracks[1].duration)
            #expect(abs((video - sound) / .milliseconds(1)) < 60, "\(video) \(sound)")
        }
        let last = try #require(try outcome.events.last)
        #expect(last.name == "finished" && last.object("summary")?["clips"] == clips.count)
        #expect(try outcome.events.contains { $0.name == "level" })
        #expect(try Set(command.files()) == Set(names))
    }

    @Test func `A trigger begins a clip with the pictures before it, and another one extends it`() async throws {
        let command = try Command()
        let process = try start(
            command, "--trigger", "--pre", "1s", "--post", "1s", "--segment", "1m", "-o", "%n.mp4")
        _ = try await process.event("encoding")
        // The memory has pictures of a second then.
        try await Task.sleep(for: .seconds(2))
        process.send(SIGUSR1)
        let began = try await process.event("began")
        let recorded = try await process.event("recorded")
        #expect(began["file"] == "1.mp4" && recorded["reason"] == "elapsed")
        let report = try checkWhole(recorded, in: command)
        #expect(report.duration >= .milliseconds(1900) && report.duration < .seconds(4))
        process.send(SIGUSR2)
        #expect(await process.outcome().status == 0)
    }

    @Test func `A recording that is killed plays, and --check makes an ordinary file of it`() async throws {
        let command = try Command()
        let process = try start(command, "-o", "clip.mp4")
        _ = try await process.event("began")
        try await Task.sleep(for: .milliseconds(700))
        process.send(SIGKILL)
        _ = await process.outcome()
        let check = try await command.run("record", "--check", "clip.mp4", "--json")
        let event = try #require(try check.events.first)
        #expect(check.status == 0 && event.name == "checked" && event["repaired"] == true, "\(check.error)")
        let frames: Int = try #require(event["frames"])
        #expect(frames > 5)
        let again = try await command.run("record", "--check", "clip.mp4", "--json")
        #expect(try again.events.first?["repaired"] == false)
    }

    @Test func `Mistakes are one line each, and nothing is left behind`() async throws {
        let command = try Command()
        try command.write("no movie", to: "text.mp4")
        for (arguments, status, text) in [
            (["-o", "clip.avi"], 64, "--output: clip.avi is not the name of an MP4 file; end it in .mp4"),
            (["-o", "a.mp4", "--segment", "1s"], 64, "gives all files the same name"),
            (["--pre", "1s"], 64, "--pre: needs --trigger"),
            (["--trigger", "--at-most", "2s"], 64, "--at-most: is shorter than --pre and --post together"),
            (["--codec", "mpeg2"], 64, "--codec: "),
            (["--size", "big"], 64, "--size: \"big\" is not a size; give one such as 1280x720"),
            (["--bitrate", "1"], 64, "--bitrate: \"1\" is out of range; give 50k to 200M"),
            (["-o", "text.mp4"], 73, "text.mp4: exists already"),
            (["--check", "text.mp4"], 74, "text.mp4: "), (["--check", "none.mp4"], 66, "none.mp4: "),
            (["clip.mp4"], 64, "name it with --output"), (["--check"], 64, "--check needs a file"),
        ] as [([String], Int32, String)] {
            let camera = arguments.contains("--check") ? [] : ["--source", Self.source]
            let outcome = try await RunningCommand(["record"] + camera + arguments, in: command.folder).outcome()
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            let error = outcome.error.replacing("\n  → ", with: "; ").replacing("\n  -> ", with: "; ")
            #expect(error.contains(text), "\(arguments): \(error)")
        }
        #expect(try command.files() == ["text.mp4"])
        #expect(try command.bytes("text.mp4") == Data("no movie".utf8))
    }

    @Test func `Without a microphone, the recording is silent and says so`() async throws {
        let command = try Command()
        let process = try start(command, "--for", "1s", "-o", "clip.mp4", "--audio", "hw:99")
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let notice = try #require(try outcome.events.first { $0.name == "notice" })
        #expect(notice["code"] == "microphone-lost" && notice["subject"] == "hw:99")
        #expect(try outcome.events.first { $0.name == "recorded" }?["sound_ms"] as Int? == nil)
    }
}
