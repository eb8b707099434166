// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct `The preview command` {
    private static let scene = ["preview", "--camera", "scene", "--width", "640", "--height", "360", "--json"]

    private func start(
        _ command: borrowing Command, on display: Display, _ arguments: String...
    ) throws -> RunningCommand {
        try RunningCommand(
            Self.scene + ["-o", "%n.jpg"] + arguments, in: command.folder, environment: ["DISPLAY": display.name])
    }

    private func summary(_ outcome: RunningCommand.Outcome) throws -> Event {
        try #require(try outcome.events.last?.object("summary"))
    }

    // MARK: In a window

    @Test func `The window shows the scene, and its keys control the capture`() async throws {
        let command = try Command()
        let display = try Display()
        let process = try start(command, on: display, "--delay", "1h", "--interval", "1h")
        let size = try await process.awaitDrawing()
        #expect(size["width"] == 640 && size["height"] == 360)
        let window = try display.window()
        // The first bars of the scene are white and yellow, the last one is blue.
        try await display.awaitPicture(of: window) { picture in
            let last = picture.color(0.95, 0.3)
            return picture.color(0.05, 0.3).allSatisfy { $0 > 235 } && last[2] > 235 && last[0] < 20
        }

        try display.press("space", in: window)
        #expect(try await process.event("captured")["file"] == "1.jpg")
        try display.press("d", in: window)
        #expect(try await process.event("countdown")["remaining_ms"] == 3_600_000.0)
        try display.press("d", in: window)
        _ = try await process.event("called-off")
        try display.press("r", in: window)
        #expect(try await process.event("captured")["cause"] == "schedule")
        try display.press("g", in: window)
        #expect(try await process.event("key")["state"] == "on")
        _ = try await process.event("drawn")
        try display.press("q", in: window)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try summary(outcome)["captured"] == 2)
        #expect(try command.files() == ["1.jpg", "2.jpg"])
    }

    @Test func `The mirror key mirrors the window`() async throws {
        let command = try Command()
        let display = try Display()
        let process = try start(command, on: display)
        try await process.awaitDrawing()
        let window = try display.window()
        try display.press("m", in: window)
        #expect(try await process.event("key")["state"] == "on")
        try await display.awaitPicture(of: window) { $0.color(0.05, 0.3)[0] < 20 && $0.color(0.05, 0.3)[2] > 235 }
        try display.press("Escape", in: window)
        #expect(await process.outcome().status == 0)
    }

    @Test func `An outline is drawn at its place in the window, and a key hides it`() async throws {
        let command = try Command()
        let display = try Display()
        try command.write(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
            <rect id="subject" x="10" y="10" width="80" height="80" fill="none" stroke="currentColor" \
            stroke-width="1em"/>
            </svg>
            """, to: "frame.svg")
        let source = "videotestsrc is-live=true pattern=blue ! video/x-raw,width=720,height=720,framerate=30/1"
        let process = try RunningCommand(
            ["preview", "--source", source, "--overlay", "./frame.svg", "--mirror", "--json", "-o", "%n.png"],
            in: command.folder, environment: ["DISPLAY": display.name])
        try await process.awaitDrawing()
        let window = try display.window()
        let white = [255, 255, 255]
        try await display.awaitPicture(of: window) { $0.count(of: white, x: 0...1, y: 0...1) > 500 }
        let picture = try display.picture(of: window)
        // The inside of the outline is clear, and so is the area outside of it.
        #expect(picture.count(of: white, x: 0.3...0.7, y: 0.3...0.7) == 0)
        #expect(picture.count(of: white, x: 0...0.03, y: 0...1) == 0)
        let left = picture.count(of: white, x: 0...0.3, y: 0...1)
        let right = picture.count(of: white, x: 0.7...1, y: 0...1)
        #expect(left > 200 && abs(left - right) <= left / 10)

        try display.press("o", in: window)
        while try await process.event("key")["state"] != "none" { try display.press("o", in: window) }
        try await display.awaitPicture(of: window) { $0.count(of: white, x: 0...1, y: 0...1) == 0 }
        try display.press("q", in: window)
        #expect(await process.outcome().status == 0)
    }

    @Test func `The preview ends without an error when its window is closed or destroyed`() async throws {
        for isPolite in [true, false] {
            let command = try Command()
            let display = try Display()
            let process = try start(command, on: display)
            try await process.awaitDrawing()
            let window = try display.window()
            if isPolite { try display.close(window) } else { try display.destroy(window) }
            let outcome = await process.outcome()
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.error.isEmpty)
        }
    }

    @Test func `The preview ends with an error when its display ends, and keeps the picture`() async throws {
        let command = try Command()
        let display = try Display()
        let process = try start(command, on: display)
        try await process.awaitDrawing()
        let window = try display.window()
        try display.press("space", in: window)
        _ = try await process.event("captured")
        display.end()
        let outcome = await process.outcome()
        #expect(outcome.status == 69)
        #expect(outcome.error.contains("display"))
        let account = try summary(outcome)
        #expect(account["ending"] == "failed" && account["captured"] == 1)
    }

    // MARK: Without a window

    @Test func `A missing display is an error with advice, and no camera is opened`() async throws {
        let command = try Command()
        let outcome = try await command.run("preview", "--camera", "scene", "--sink", "x11", "--json")
        #expect(outcome.status == 69)
        #expect(outcome.error.contains("DISPLAY") && outcome.error.contains("--sink kms"))
        #expect(try !outcome.events.contains { $0.name == "settled" || $0.name == "previewing" })
        for (sink, variables) in [("x11", ["DISPLAY": ":987"]), ("wayland", ["WAYLAND_DISPLAY": "none"])] {
            let missing = try await command.run("preview", "--camera", "scene", "--sink", sink, environment: variables)
            #expect(missing.status == 69)
            #expect(missing.error.contains("preview: the display cannot be opened"))
        }
    }

    @Test func `SIGUSR1 captures a picture, and the preview ends after --count pictures`() async throws {
        let command = try Command()
        let process = try RunningCommand(
            Self.scene + ["--sink", "none", "--count", "2", "-o", "%n.jpg"], in: command.folder)
        _ = try await process.event("previewing")
        process.send(SIGUSR1)
        _ = try await process.event("captured")
        process.send(SIGUSR1)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try summary(outcome)["ending"] == "completed")
        #expect(try command.files() == ["1.jpg", "2.jpg"])
    }

    @Test func `A preview of one picture is refused if the file exists`() async throws {
        let command = try Command()
        try command.write("mine", to: "a.jpg")
        let outcome = try await command.run(
            "preview", "--camera", "scene", "--sink", "none", "--count", "1", "-o", "a.jpg")
        #expect(outcome.status == 73, "\(outcome.error)")
        #expect(try command.bytes("a.jpg") == Data("mine".utf8))
    }

    @Test func `The preview ends when its time is over`() async throws {
        let command = try Command()
        let process = try RunningCommand(Self.scene + ["--sink", "none", "--for", "200ms"], in: command.folder)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try summary(outcome)["ending"] == "completed")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `A signal after a picture ends the preview with status 0`(signal: Int32) async throws {
        let command = try Command()
        let process = try RunningCommand(Self.scene + ["--sink", "none", "-o", "%n.jpg"], in: command.folder)
        _ = try await process.event("previewing")
        process.send(SIGUSR1)
        _ = try await process.event("captured")
        process.send(signal)
        #expect(await process.outcome().status == 0)
    }

    @Test(arguments: ["640x360", "1920x1080"])
    func `A picture is the same with preview and overlay as without`(size: String) async throws {
        let command = try Command()
        let sides = size.split(separator: "x").map(String.init)
        let source =
            "videotestsrc is-live=true pattern=colors ! "
            + "video/x-raw,format=I420,width=\(sides[0]),height=\(sides[1]),framerate=30/1,colorimetry=bt709"
        let plain = try await command.run("snap", "--source", source, "-e", "raw", "-o", "plain.raw")
        #expect(plain.status == 0, "\(plain.error)")
        let process = try RunningCommand(
            [
                "preview", "--source", source, "--overlay", "grid:thirds,text:%H:%M:%S", "--sink", "none", "--count",
                "1",
                "-e", "raw", "-o", "preview.raw", "--json",
            ], in: command.folder)
        try await process.awaitDrawing()
        process.send(SIGUSR1)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.bytes("plain.raw") == command.bytes("preview.raw"))
    }

    // MARK: In a terminal

    private static let preview = "gst-capture preview --camera scene --width 160 --height 120 --sink none -o %n.jpg"

    /// Starts a preview in a terminal, and takes a picture with the space bar.
    private func terminalWithPicture(in folder: URL) async throws -> TerminalSession {
        let terminal = try TerminalSession(Self.preview, in: folder)
        try await terminal.wait(for: "keys: space picture")
        terminal.type(" ")
        try await terminal.wait(for: "1.jpg")
        return terminal
    }

    /// Waits for the end of the preview, and checks that the terminal is as before.
    private func expectRestored(_ terminal: TerminalSession) async throws {
        try await terminal.wait(for: "status 0")
        #expect(try await terminal.end().contains("taken back"))
    }

    @Test func `The preview accepts keys in a terminal, and restores the terminal`() async throws {
        let command = try Command()
        let terminal = try await terminalWithPicture(in: command.folder)
        terminal.type("\u{1B}[A")
        terminal.type("m")
        try await terminal.wait(for: "mirror")
        terminal.type("q")
        try await expectRestored(terminal)
    }

    @Test func `The preview accepts keys when its running job is brought to the foreground`() async throws {
        let command = try Command()
        // The shell sends no signal to a running job that it brings to the foreground. The job is there when its process
        // group is that of the terminal (the fifth and the eighth field of its stat).
        let isInFront = "read -r _ _ _ _ group _ _ front _ </proc/$job/stat && [ $group = $front ]"
        let line = """
            set -m; \(Self.preview) & job=$!; read line; kill -USR1 $job; read line; \
            (until \(isInFront); do :; done; echo in front) & fg %1
            """
        let terminal = try TerminalSession("bash -c '\(line)'", in: command.folder)
        try await terminal.wait(for: "keys: space picture")
        terminal.type("\n")
        try await terminal.wait(for: "1.jpg")
        terminal.type("\n")
        try await terminal.wait(for: "in front")
        terminal.type(" \n")
        try await terminal.wait(for: "2.jpg")
        terminal.type("q")
        try await expectRestored(terminal)
    }

    @Test func `The preview continues after Ctrl-Z if no shell could continue it`() async throws {
        let command = try Command()
        // script(1) starts the shell in a new session, so the process group is orphaned.
        let terminal = try await terminalWithPicture(in: command.folder)
        terminal.type("\u{1A}")
        terminal.type(" ")
        try await terminal.wait(for: "2.jpg")
        terminal.type("q")
        try await expectRestored(terminal)
    }

    @Test(arguments: ["\u{3}", "\u{1C}"])
    func `The terminal is restored when a signal ends the preview`(control: String) async throws {
        let command = try Command()
        let terminal = try await terminalWithPicture(in: command.folder)
        terminal.type(control)
        try await expectRestored(terminal)
    }
}
