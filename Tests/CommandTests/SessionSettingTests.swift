// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Settings in a session` {
    private func run(
        _ command: borrowing Command, preset: String, environment: [String: String] = [:]
    ) async throws -> RunningCommand.Outcome {
        try command.write(preset, to: "preset.yaml")
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let process = try RunningCommand(
            [
                "session", "run", "quick.yaml", "--auto", "--json", "-o", "out", "--preset", "./preset.yaml", "--sink",
                "none",
            ],
            in: command.folder, environment: environment)
        try await process.hurry()
        return await process.outcome()
    }

    private static let camera = "width: 320\nheight: 240\nframerate: 30\n"

    @Test func `The hook after a picture runs for each picture, and its files are private`() async throws {
        let command = try Command()
        let preset =
            Self.camera + """
                camera: scene
                exec-after: printf '%s %s %s\\n' "$CAPTURE_STAGE" "$CAPTURE_SEQUENCE" "$CAPTURE_FILE" >> after.log
                """
        let outcome = try await run(command, preset: preset)
        #expect(outcome.status == 0, "\(outcome.error)")
        let folder = try #require(try SessionDesk.folders(in: command.folder.appendingPathComponent("out")).first)
        let lines = String(decoding: try command.bytes("after.log"), as: UTF8.self).split(separator: "\n")
        let place = URL(filePath: folder).resolvingSymlinksInPath().path
        let wanted = ["one", "two", "three"].enumerated().map { index, stage in
            "\(stage) \(index + 1) \(place)/\(stage)-00\(index + 1).jpg"
        }
        #expect(lines.map(String.init) == wanted)
        let mode = try FileManager.default.attributesOfItem(atPath: command.folder.path + "/after.log")
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test func `The hook before a picture runs when its countdown begins`() async throws {
        let command = try Command()
        let pipe = try NamedPipe(command.folder.path + "/pipe")
        try command.write(
            "camera: scene\nexec-before: printf 'before %s\\n' \"$CAPTURE_STAGE\" > pipe\n", to: "preset.yaml")
        // The hook is ended with the countdown.
        try command.write(SessionDesk.session(countdown: "10m"), to: "quick.yaml")
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--auto", "--json", "-o", "out", "--preset", "./preset.yaml", in: command)
        #expect(await pipe.lines.first { _ in true } == "before one")
        process.send(SIGINT)
        _ = await process.outcome()
    }

    @Test func `Cameras and a library can be set by presets and variables`() async throws {
        let command = try Command()
        let outcome = try await run(command, preset: Self.camera + "front: scene\nsound: off\n")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.events.first { $0.name == "camera" }?["role"] == "front")
        let back = try await run(command, preset: Self.camera, environment: ["GST_CAPTURE_BACK": "scene"])
        #expect(back.status == 0, "\(back.error)")
        #expect(try back.events.first { $0.name == "camera" }?["role"] == "back")
        let picture = try await command.run(
            "snap", "--camera", "scene", "--width", "320", "--height", "240", "-o", "a.jpg")
        #expect(picture.status == 0)
        let library = try await run(command, preset: "library: [a.jpg, a.jpg, a.jpg]\n")
        #expect(library.status == 0, "\(library.error)")
        #expect(try library.events.last?.objects("pictures").map { $0["source"] } == ["a.jpg", "a.jpg", "a.jpg"])
    }

    @Test func `A camera for all stages and cameras of roles exclude each other in a preset`() async throws {
        let command = try Command()
        let outcome = try await run(command, preset: "camera: scene\nfront: scene\n")
        #expect(outcome.status == 78 && outcome.error.contains("front, back and role"), "\(outcome.error)")
    }

    @Test func `Too little free space and a missing mount fail the pictures`() async throws {
        let command = try Command()
        let full = try await run(command, preset: Self.camera + "camera: scene\nkeep-free: 99%\n")
        #expect(full.status == 74 && full.error.contains("must stay free"), "\(full.error)")
        let unmounted = try await run(command, preset: Self.camera + "camera: scene\nmount: \(command.folder.path)\n")
        #expect(unmounted.status == 73 && unmounted.error.contains("nothing is mounted there"), "\(unmounted.error)")
        #expect(try unmounted.events.allSatisfy { $0.name != "opening" })
    }

    @Test func `A burned-in layer is in the picture`() async throws {
        let command = try Command()
        let source =
            "source: videotestsrc is-live=true pattern=black ! video/x-raw,width=320,height=240,framerate=30/1\n"
        var sizes: [Int] = []
        for burnIn in ["", "burn-in: [grid:thirds]\n"] {
            let outcome = try await run(command, preset: source + burnIn)
            #expect(outcome.status == 0, "\(outcome.error)")
            sizes.append(try #require(try outcome.events.last?.objects("pictures").first?["bytes"]))
        }
        #expect(sizes[1] > sizes[0], "lines on black take bytes")
    }

    @Test(arguments: ["interval: 5s", "output: x-%n.jpg", "countdown: 3s", "max-count: 5", "burst: 3"])
    func `A setting without effect is refused in one line`(setting: String) async throws {
        let command = try Command()
        let outcome = try await run(command, preset: Self.camera + "camera: scene\n" + setting + "\n")
        let key = String(setting.prefix { $0 != ":" })
        #expect(outcome.status == 64 && outcome.error.contains("\(key) cannot be used in a session"))
        // The second line is the remedy.
        #expect(outcome.error.split(separator: "\n").map { $0.hasPrefix("gst-capture: ") } == [true, false])
        #expect(!FileManager.default.fileExists(atPath: command.folder.path + "/out"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Requests on standard input` {
    @Test func `A program drives a session to its end`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let pipe = command.folder.path + "/requests"
        try #require(mkfifo(pipe, 0o600) == 0)
        let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\" < \(pipe)"]
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--json", "--control", "stdin", "-o", "out", in: command, launcher: shell)
        // Waits for the reader to open the other end.
        let requests = try FileHandle(forWritingTo: URL(filePath: pipe))
        func send(_ text: String) throws { try requests.write(contentsOf: Data((text + "\n").utf8)) }
        var answers: [String] = []
        for await line in process.lines {
            let event = try Event(line)
            switch (event.name, event["phase"] as String?) {
            case ("phase", "ready"):
                try send("nonsense")
                try send(#"{"do": "accept", "id": 1}"#)
                try send(#"{"do": "state", "id": 2}"#)
                try send(#"{"do": "capture", "id": 3}"#)
            case ("phase", "armed"): try send(#"{"do": "\#(event["stage"] == "three" ? "skip" : "capture")"}"#)
            case ("phase", "review"):
                try send(#"{"do": "retake", "picture": 99}"#)
                try send(#"{"do": "accept", "id": "last"}"#)
            case ("ok", _), ("error", _), ("state", _):
                answers.append(
                    [event.name, event["do"], event["id"], event["reason"]].compactMap(\.self).joined(separator: " "))
            default: break
            }
        }
        try requests.close()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            answers == [
                "error bad-request", "error accept 1 not-in-review", "state 2", "ok capture 3", "ok capture", "ok skip",
                "error retake not-taken", "ok accept last",
            ], "\(answers)")
        let numbers = try outcome.events.filter { !["ok", "error", "state"].contains($0.name) }
            .compactMap { $0["seq"] as Int? }
        #expect(numbers == Array(1...numbers.count))
    }

    @Test func `Requests arrive through a standard input that does not block`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let pipe = command.folder.path + "/requests"
        try #require(mkfifo(pipe, 0o600) == 0)
        let unblock = "import os, sys; os.set_blocking(0, False); os.execv(sys.argv[1], sys.argv[1:])"
        let shell = ["/bin/sh", "-c", "exec python3 -c '\(unblock)' \"$0\" \"$@\" < \(pipe)"]
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--json", "--control", "stdin", in: command, launcher: shell)
        // Waits for the reader to open the other end.
        let requests = try FileHandle(forWritingTo: URL(filePath: pipe))
        try await process.hurry { $0["phase"] == "ready" }
        try requests.write(contentsOf: Data("{\"do\": \"cancel\"}\n".utf8))
        _ = try await process.event("ok")
        #expect(await process.outcome().status == 75)
        try requests.close()
    }

    @Test func `Requests need JSON, and the end of standard input does not end the session`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let plain = try RunningCommand.session("run", "quick.yaml", "--control", "stdin", in: command)
        #expect(await plain.outcome().status == 64)
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--auto", "--json", "--control", "stdin", in: command)
        try await process.hurry()
        #expect(await process.outcome().status == 0)
    }
}
