// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import Testing

@Suite("The film of each day of a time lapse", .timeLimit(.minutes(10)))
struct DayFilmTests {
    private static let series = [
        "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "100ms", "-o", "p/%n.jpg",
        "--film", "day", "--film-codec", "openh264enc",
    ]

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func run(
        _ arguments: [String], in command: borrowing Command
    ) async throws -> RunningCommand.Outcome {
        await (try RunningCommand(arguments, in: command.folder)).outcome()
    }

    /// Makes the film of all pictures of the series, and compares it with that of the day.
    private static func compare(_ name: String, in command: borrowing Command, _ options: String...) async throws {
        let film = try await run(["film", "p", "-o", "whole.mp4", "--codec", "openh264enc"] + options, in: command)
        #expect(film.status == 0, "\(film.error)")
        #expect(try command.bytes("whole.mp4") == command.bytes(name))
    }

    @Test func `It is the film that is made afterwards, and is reported`() async throws {
        let command = try Command()
        let outcome = try await Self.run(Self.series + ["-n", "20", "--film-deflicker", "--json"], in: command)
        #expect(outcome.status == 0, "\(outcome.error)")
        let film = try #require(try outcome.events.first { $0.name == "film" })
        let path: String = try #require(film["file"])
        let name = "p/films/" + Self.name(of: path)
        let frames: Int = try #require(film["frames"])
        let captured = try outcome.events.count { $0.name == "captured" }
        #expect(frames == captured && frames > 0)
        try await Self.compare(name, in: command, "--deflicker")
    }

    @Test func `After SIGKILL the film continues with the series`() async throws {
        let command = try Command()
        let killed = try RunningCommand(Self.series + ["--json"], in: command.folder)
        for _ in 0..<8 { _ = try await killed.event("captured") }
        killed.send(SIGKILL)
        _ = await killed.outcome()
        let outcome = try await Self.run(Self.series + ["--resume", "-n", "40", "--json"], in: command)
        #expect(outcome.status == 0, "\(outcome.error)")
        let film = try #require(try outcome.events.first { $0.name == "film" })
        let path: String = try #require(film["file"])
        try await Self.compare("p/films/" + Self.name(of: path), in: command)
    }

    @Test func `A setting that no film can have is one line`() async throws {
        let command = try Command()
        for (option, value) in [("--film-codec", "none"), ("--film-size", "x720"), ("--film", "week")] {
            let outcome = try await Self.run(Self.series + [option, value], in: command)
            #expect(outcome.status == 64 && outcome.error.hasPrefix("gst-capture: \(option): "), "\(outcome.error)")
        }
        let piped = try await Self.run(Self.series + ["--ledger", "off"], in: command)
        #expect(piped.status == 64 && piped.error.contains("--film: needs pictures in files, and their ledger"))
        #expect(try command.files().isEmpty)
    }
}
