// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Keys of a session in a terminal` {
    private func start(_ command: borrowing Command, countdown: String) throws -> TerminalSession {
        try command.write(SessionDesk.session(countdown: countdown, next: "trigger"), to: "quick.yaml")
        let line = "gst-capture session run quick.yaml -o out \(SessionDesk.camera.joined(separator: " ")) > path"
        return try TerminalSession(line, in: command.folder)
    }

    @Test func `Keys capture, skip, retake and accept, and are refused at the wrong time`() async throws {
        let command = try Command()
        let terminal = try start(command, countdown: "200ms")
        try await terminal.wait(for: "space begins")
        terminal.type(" ")
        try await terminal.wait(for: "one-001.jpg")
        try await terminal.wait(for: "space takes the picture")
        terminal.type("s")
        try await terminal.wait(for: "not now: this stage cannot be skipped")
        terminal.type("a")
        try await terminal.wait(for: "not now: not all pictures are taken yet")
        terminal.type("  ")
        try await terminal.wait(for: "two-002.jpg")
        try await terminal.wait(for: "three (3 of 3)")
        terminal.type("s")
        try await terminal.wait(for: "three: skipped")
        try await terminal.wait(for: "all pictures are taken")
        terminal.type("r")
        try await terminal.wait(for: "not now: press the number of a picture first")
        terminal.type("1r")
        try await terminal.wait(for: "one-003.jpg")
        terminal.type(" a")
        try await terminal.wait(for: "status 0")
        #expect(try await terminal.end().contains("taken back"))

        let path = String(decoding: try command.bytes("path"), as: UTF8.self)
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        #expect(folders.map { "out/" + URL(filePath: $0).lastPathComponent + "\n" } == [path])
        let stored = try StoredSession(#require(folders.first))
        #expect(stored.names == ["one-003.jpg", "two-002.jpg"] && stored.record["state"] == "accepted")
        #expect(stored.record.objects("stages").compactMap { $0["state"] as String? } == ["done", "done", "skipped"])
        try stored.expectAsPublished()
    }

    @Test func `The space key is refused while the countdown runs`() async throws {
        let command = try Command()
        // No machine is so busy that this countdown ends before the key.
        let terminal = try start(command, countdown: "10m")
        try await terminal.wait(for: "space begins")
        terminal.type(" ")
        try await terminal.wait(for: "\r\n  600\r\n")
        terminal.type(" ")
        try await terminal.wait(for: "not now: the countdown runs; only cancel and abort end it")
        terminal.type("q")
        try await terminal.wait(for: "status 75")
        #expect(try await terminal.end().contains("taken back"))
    }

    @Test(arguments: ["q", "d"])
    func `A session that a key cancels or discards leaves no file`(key: String) async throws {
        let command = try Command()
        let terminal = try start(command, countdown: "200ms")
        try await terminal.wait(for: "space begins")
        terminal.type(" ")
        try await terminal.wait(for: "one-001.jpg")
        try await terminal.wait(for: "two (2 of 3)")
        if key == "d" {
            terminal.type(" ")
            try await terminal.wait(for: "two-002.jpg")
            try await terminal.wait(for: "three (3 of 3)")
            terminal.type("s")
            try await terminal.wait(for: "all pictures are taken")
        }
        terminal.type(key)
        // A question is withdrawn after five seconds. On a slow machine the second key can come later, and repeats it.
        let question = key == "q" ? "press q again: the picture is" : "press d again: all 2 pictures are"
        try await terminal.answer(question, with: key, until: "status 75")
        #expect(try await terminal.end().contains("cancelled"))
        #expect(try command.files() == ["out", "path", "quick.yaml"])
        #expect(try command.bytes("path").isEmpty)
    }

    @Test func `The abort key restarts the session, and Ctrl-C stops it so that it can be resumed`() async throws {
        let command = try Command()
        let terminal = try start(command, countdown: "200ms")
        try await terminal.wait(for: "space begins")
        terminal.type(" ")
        try await terminal.wait(for: "one-001.jpg")
        try await terminal.wait(for: "two (2 of 3)")
        terminal.type("x")
        try await terminal.wait(for: "aborted: a key or a program requested it; the session restarts")
        terminal.type(" ")
        try await terminal.wait(for: "one-002.jpg")
        let typed = ContinuousClock.now
        terminal.type("\u{3}")
        try await terminal.wait(for: "status 130")
        // Four seconds after Ctrl-C a slow command ends without its last lines.
        let isTooSlow = ContinuousClock.now - typed >= .seconds(4)
        let shown = try await terminal.end()
        #expect(shown.contains("resume it: gst-capture session resume out/quick-") || isTooSlow, "\(shown)")
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        #expect(try folders.map { try StoredSession($0).names } == [["one-002.jpg"]])
    }
}
