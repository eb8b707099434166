// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing
import VideoKit

@Suite("The snap command", .timeLimit(.minutes(5)))
struct SnapTests {
    @Test("A picture of the scene is on disk when its name is printed")
    func file() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", "scene", "-o", "a.jpg")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines == ["a.jpg"])
        #expect(outcome.errorLines.isEmpty, "prints to standard error: \(outcome.error)")
        #expect(try command.bytes("a.jpg").isJPEG)
        #expect(try command.files() == ["a.jpg"], "nothing else is left")
    }

    @Test("A file can be given as an argument, and its extension sets the format")
    func positional() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "a.png", "--camera", "scene")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.bytes("a.png").isPNG)
    }

    @Test("The file name - stands for standard output, which gets only the picture")
    func standardOutput() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", "scene", "-o", "-", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.output.isJPEG)
        let events = try outcome.error.split(separator: "\n").map { try Event(String($0)) }
        #expect(events.contains { $0.name == "captured" })
        #expect(try command.files().isEmpty)
    }

    @Test(
        "An error at the start is not printed to standard output if pictures go there",
        arguments: [
            ("width: 160\n", ["GST_CAPTURE_OUTPUT": "-"], 69), ("output: '-'\n", [:], 69),
            ("output: '-'\n", ["GST_CAPTURE_OUTPUT": ""], 69), ("output: '-'\nwidht: 3\n", [:], 78),
        ] as [(String, [String: String], Int32)])
    func errorBesidePictures(preset: String, environment: [String: String], status: Int32) async throws {
        let command = try Command()
        try command.write(preset, to: "mine.yaml")
        let outcome = try await command.run(
            "snap", "--camera", "nosuch", "--preset", "./mine.yaml", "--json", environment: environment)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome.text)")
        let events = try outcome.error.split(separator: "\n").map { try Event(String($0)) }
        #expect(events.map(\.name) == ["error"])
    }

    @Test("An error at the start is printed to standard output if an option sends pictures to a file")
    func errorBesideFile() async throws {
        let command = try Command()
        let outcome = try await command.run(
            "snap", "--camera", "nosuch", "-o", "a.jpg", "--json", environment: ["GST_CAPTURE_OUTPUT": "-"])
        #expect(outcome.status == 69)
        #expect(try outcome.events.map(\.name) == ["error"])
    }

    @Test("JSON events state the picture, its time and its offset")
    func json() async throws {
        let command = try Command()
        let outcome = try await command.run(
            "snap", "--camera", "scene", "--width", "320", "--height", "240", "-o", "a \"b\".jpg", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let events = try outcome.events
        let still = try #require(events.first { $0.name == "captured" })
        #expect(still["file"] == "a \"b\".jpg")
        #expect(still["width"] == 320 && still["height"] == 240 && still["slot"] == 0)
        #expect(try still["bytes"] == command.bytes("a \"b\".jpg").count)
        let offset: Double = try #require(still["offset_ms"])
        let reader = ISO8601DateFormatter()
        reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let (due, moment): (String, String) = try (#require(still["due"]), #require(still["at"]))
        let distance = try #require(reader.date(from: moment)).timeIntervalSince(#require(reader.date(from: due)))
        #expect(abs(distance * 1000 - offset) <= 2, "the offset is the distance of both, rounded to milliseconds")
        #expect(events.last?.name == "finished")
        #expect(events.last?.object("summary")?["captured"] == 1)
    }

    @Test("A burst is a sequence of pictures")
    func burst() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", "scene", "--burst", "3", "-o", "%02n.jpg")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines == ["01.jpg", "02.jpg", "03.jpg"])
        #expect(try command.files() == ["01.jpg", "02.jpg", "03.jpg"])
    }

    @Test("A trigger captures the pending picture at once, and it is the only one")
    func trigger() async throws {
        let command = try Command()
        let process = try command.start("snap", "--camera", "scene", "--delay", "1h", "-o", "a.jpg", "--json")
        _ = try await process.event("settled")
        process.send(SIGUSR1)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.files() == ["a.jpg"])
    }

    @Test("A burst that is stopped keeps the pictures that it has")
    func stoppedBurst() async throws {
        let command = try Command()
        let process = try command.start(
            "snap", "--camera", "scene", "--width", "160", "--burst", "1000", "-o", "%04n.jpg", "--json")
        _ = try await process.event("captured")
        process.send(SIGINT)
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        let captured: Int = try #require(try outcome.events.last?.object("summary")?["captured"])
        #expect((1..<1000).contains(captured))
        #expect(try command.files().count == captured)
    }

    @Test("A countdown prints each second down to 1")
    func countdown() async throws {
        var numbers: [String] = []
        // On a busy machine the 1 may be due with the picture, and is not printed.
        while numbers != ["2", "1"] {
            let outcome = try await Command().run(
                "snap", "--camera", "scene", "--delay", "2s", "--countdown", "2s", "-o", "a.jpg")
            numbers = outcome.errorLines
            try Task.checkCancellation()
            try #require(numbers == ["2"] || numbers == ["2", "1"])
        }
    }

    @Test("An existing file stays unless --overwrite is given")
    func existing() async throws {
        let command = try Command()
        try command.write("mine", to: "a.jpg")
        let refused = try await command.run("snap", "--camera", "scene", "-o", "a.jpg")
        #expect(refused.status == 73)
        #expect(refused.error.contains("a.jpg") && refused.error.contains("--overwrite"))
        #expect(try command.bytes("a.jpg") == Data("mine".utf8))
        let reported = try await command.run("snap", "--camera", "scene", "-o", "a.jpg", "--overwrite")
        #expect(reported.status == 0, "\(reported.error)")
        #expect(try command.bytes("a.jpg").isJPEG)
        #expect(try command.files() == ["a.jpg"])
    }

    @Test("A missing camera ends the command with status 69", arguments: ["/dev/video99", "no-such-camera"])
    func noCamera(name: String) async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", name, "-o", "a.jpg", "--json")
        #expect(outcome.status == 69)
        #expect(outcome.error.contains(name))
        let error = try #require(try outcome.events.first?.object("error"))
        #expect(error["code"] == "no-camera" && error["status"] == 69)
        #expect(try command.files().isEmpty)
    }

    @Test(
        "An invalid value is reported with its option",
        arguments: [
            ["--width", "wide"], ["--width", "0"], ["--quality", "101"], ["--rotate", "45"], ["--encoding", "bmp"],
            ["--delay", "soon"], ["--framerate", "1/0"], ["--settle", "maybe"], ["--burst", "99999999999999999999"],
        ])
    func values(option: [String]) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(["snap", "--camera", "scene"] + option, in: command.folder).outcome()
        #expect(outcome.status == 64)
        #expect(outcome.error.hasPrefix("gst-capture: \(option[0]): "), "\(outcome.error)")
        #expect(try command.files().isEmpty)
    }

    @Test("An option overrides a variable, and an invalid variable is reported by its name")
    func environment() async throws {
        let command = try Command()
        let variables = ["GST_CAPTURE_WIDTH": "320", "GST_CAPTURE_HEIGHT": "240", "GST_CAPTURE_CAMERA": "scene"]
        let outcome = try await command.run("snap", "--width", "160", "-o", "a.jpg", "--json", environment: variables)
        let still = try #require(try outcome.events.first { $0.name == "captured" })
        #expect(still["width"] == 160 && still["height"] == 240)
        let wrong = try await command.run("snap", environment: ["GST_CAPTURE_WIDTH": "wide"])
        #expect(wrong.status == 78 || wrong.status == 64)
        #expect(wrong.error.contains("GST_CAPTURE_WIDTH"))
    }

    @Test("A dry run prints the pipeline and opens nothing")
    func dryRun() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", "scene", "--width", "320", "--dry-run")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines.count == 1 && outcome.text.contains("videotestsrc") && outcome.text.contains("320"))
        #expect(outcome.error.contains("no camera was opened"))
        #expect(try command.files().isEmpty)
    }

    // MARK: Live photos

    private static let camera = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1 ! jpegenc"

    @Test("A live photo is durable before its movie joins it, and the movie plays")
    func live() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--live", "--source", Self.camera, "--json", "-o", "a.jpg")
        #expect(outcome.status == 0, "\(outcome.error)")
        let names = try outcome.events.map(\.name)
        let captured = try #require(names.firstIndex(of: "captured"))
        let event = try #require(try outcome.events.first { $0.name == "live-photo" })
        #expect(try #require(names.firstIndex(of: "live-photo")) > captured && event["movie"] == true)
        let photo = try [UInt8](command.bytes("a.jpg"))
        let files = try command.files()
        #expect(event["bytes"] == photo.count && files == ["a.jpg"])
        let range = try #require(MotionPhoto.movie(in: photo))
        try Data(photo[range]).write(to: command.folder.appendingPathComponent("a.mp4"))
        let report = try ClipFile.finalize(command.folder.path + "/a.mp4")
        #expect(report.wasOrdinary && report.duration > .seconds(2))
    }

    @Test("A live photo without an output has the name that galleries look for")
    func liveName() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--live", "--camera", "scene", "--width", "320", "--height", "240")
        #expect(outcome.status == 0 && outcome.text.hasSuffix(".MP.jpg\n"), "\(outcome.text) \(outcome.error)")
    }

    @Test(
        "Pictures that cannot be live photos are refused",
        arguments: [["-o", "a.png"], ["-o", "-"], ["--burst", "2", "-o", "%n.jpg"]])
    func noLivePhoto(options: [String]) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            ["snap", "--live", "--camera", "scene"] + options, in: command.folder
        ).outcome()
        #expect(outcome.status == 64 && outcome.errorLines.first?.contains("--live") == true)
        #expect(try command.files().isEmpty)
    }

    @Test(
        "Pictures from before a trigger are refused where there is none",
        arguments: [["snap"], ["preview", "--burst", "2"], ["preview", "--flash", "on"]])
    func noEarlierFrame(words: [String]) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            words + ["--camera", "scene", "--at", "-200ms"], in: command.folder
        ).outcome()
        #expect(outcome.status == 64 && outcome.errorLines.first?.hasPrefix("gst-capture: --at: ") == true)
        #expect(outcome.errorLines.count == 2, "the problem and its remedy: \(outcome.errorLines)")
    }

    @Test("A time lapse that is killed before a movie joins its picture lists the picture when it resumes")
    func killedLivePhoto() async throws {
        let command = try Command()
        let series = ["timelapse", "--live", "--source", Self.camera, "-i", "100ms", "-o", "%n.jpg", "--json"]
        let process = try RunningCommand(series + ["-n", "1000"], in: command.folder)
        for _ in 1...3 { _ = try await process.event("captured") }
        process.send(SIGKILL)
        _ = await process.outcome()
        let stored = try command.files().filter { $0.hasSuffix(".jpg") }.count
        #expect(stored >= 3)
        let resumed = try RunningCommand(series + ["-n", "1000", "--resume"], in: command.folder)
        _ = try await resumed.event("settled")
        resumed.send(SIGINT)
        _ = await resumed.outcome()
        let check = try await command.run("ledger", "--verify", ".")
        #expect(check.status == 0, "\(check.text) \(check.error)")
    }
}
