// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("The timelapse command", .timeLimit(.minutes(5)))
struct TimelapseTests {
    private static let series = ["timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--json"]

    private func start(_ command: borrowing Command, _ arguments: String...) throws -> RunningCommand {
        try RunningCommand(Self.series + arguments, in: command.folder)
    }

    private func summary(_ outcome: RunningCommand.Outcome) throws -> Event {
        try #require(try outcome.events.last?.object("summary"))
    }

    @Test("The requested number of slots runs, and each is accounted for")
    func count() async throws {
        let command = try Command()
        let outcome = try await start(
            command, "--interval", "100ms", "--count", "5", "--recover", "off", "-o", "%02n.jpg"
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        // A busy machine may miss slots, and then reports those in a row together.
        #expect(try outcome.events.flatMap(\.accountedSlots).sorted() == [0, 1, 2, 3, 4])
        let files: [String] = try outcome.events.compactMap { $0["file"] }
        #expect(!files.isEmpty)
        #expect(try command.files() == files)
        #expect(try summary(outcome)["ending"] == "completed")
    }

    @Test("A series ends when its time is over")
    func length() async throws {
        let command = try Command()
        let outcome = try await start(command, "--interval", "100ms", "--for", "450ms", "-o", "%n.jpg").outcome()
        let account = try summary(outcome)
        let slots = ["captured", "missed", "failed"].compactMap { account[$0] as Int? }
        #expect(slots.reduce(0, +) == 5)
    }

    @Test("Without a terminal, standard error has plain lines, and standard output has only paths")
    func plain() async throws {
        let command = try Command()
        let outcome = try await command.run(
            "timelapse", "--camera", "scene", "--width", "160", "--interval", "500ms", "--count", "2", "--recover",
            "off", "-o", "%n.jpg")
        // On a busy machine a picture may be late, or its slot missed.
        let files = try command.files()
        #expect(!outcome.lines.isEmpty && outcome.lines == files)
        #expect(outcome.error.contains("slot ") && outcome.error.contains(/[12] pictures?(, [^\n]*)?\n$/))
        #expect(!outcome.error.contains("\u{1B}") && !outcome.error.contains("\r"))
        let quiet = try await command.run(
            "timelapse", "--camera", "scene", "--interval", "1h", "--count", "1", "-o", "q%n.jpg", "--quiet")
        #expect(quiet.error.isEmpty)
    }

    @Test("SIGUSR1 captures one more picture now")
    func trigger() async throws {
        let command = try Command()
        let process = try start(command, "--interval", "1h", "-o", "%n.jpg")
        _ = try await process.event("captured")
        process.send(SIGUSR1)
        let still = try await process.event("captured")
        #expect(still["cause"] == "trigger")
        process.send(SIGUSR2)
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        #expect(try summary(outcome)["captured"] == 2)
    }

    @Test("SIGUSR1 before the camera is open is not lost, and captures a picture")
    func early() async throws {
        let command = try Command()
        let process = try start(command, "--interval", "1h", "--delay", "1h", "-o", "%n.jpg")
        _ = try await process.event("opening")
        process.send(SIGUSR1)
        #expect(try await process.event("captured")["cause"] == "trigger")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
    }

    @Test("A signal after a picture ends a series with status 0 and a summary", arguments: [SIGINT, SIGTERM, SIGUSR2])
    func stopped(signal: Int32) async throws {
        let command = try Command()
        let process = try start(command, "--interval", "1h", "-o", "%n.jpg")
        _ = try await process.event("captured")
        process.send(signal)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try summary(outcome)["ending"] == "stopped")
        #expect(try command.files() == ["1.jpg"])
    }

    @Test("A signal before any picture ends a series with the signal's status", arguments: [SIGINT, SIGTERM])
    func stoppedEarly(signal: Int32) async throws {
        let command = try Command()
        let process = try start(command, "--interval", "1h", "--delay", "1h", "-o", "%n.jpg")
        _ = try await process.event("opening")
        process.send(signal)
        #expect(await process.outcome().status == 128 + signal)
        #expect(try command.files().isEmpty)
    }

    @Test("SIGUSR2 ends a series with status 0, even before any picture")
    func finishedEarly() async throws {
        let command = try Command()
        let process = try start(command, "--interval", "1h", "--delay", "1h", "-o", "%n.jpg")
        _ = try await process.event("opening")
        process.send(SIGUSR2)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try summary(outcome)["ending"] == "stopped")
        #expect(try command.files().isEmpty)
    }

    @Test("SIGHUP reloads variables and preset, and the series continues")
    func reload() async throws {
        let command = try Command()
        try command.write("width: 160\nheight: 120\n", to: "mine.yaml")
        let process = try command.start(
            "timelapse", "--camera", "scene", "--preset", "mine.yaml", "--interval", "1s", "--count", "1000", "-o",
            "%n.jpg", "--json")
        #expect(try await process.event("captured")["width"] == 160)
        try command.write("width: 320\nheight: 240\n", to: "mine.yaml")
        process.send(SIGHUP)
        _ = try await process.event("opening")
        #expect(try await process.event("captured")["width"] == 320)
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        let captured: Int = try #require(try summary(outcome)["captured"])
        #expect(try command.files().count == captured + 1)
    }

    @Test(
        "Picture numbers continue after a reload, for names without %n, too", arguments: ["%Y.jpg", "%n.jpg"])
    func numbersAfterReload(name: String) async throws {
        let command = try Command()
        let process = try start(command, "--interval", "200ms", "-o", name)
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.send(SIGHUP)
        _ = try await process.event("opening")
        for _ in 0..<2 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        let numbers: [Int] = try outcome.events.filter { $0.name == "captured" }.compactMap { $0["sequence"] }
        #expect(numbers.count >= 5 && numbers == Array(1...numbers.count))
    }

    @Test("Limits count pictures from before a reload, too", arguments: [[], ["--ledger", "off"]])
    func limitsAfterReload(options: [String]) async throws {
        let command = try Command()
        let line = [
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "100ms", "-o",
            "%n.jpg", "--max-count", "3", "--on-limit", "prune", "--json",
        ]
        let process = try RunningCommand(line + options, in: command.folder)
        for _ in 0..<5 { _ = try await process.event("captured") }
        process.send(SIGHUP)
        _ = try await process.event("opening")
        _ = try await process.event("removed")
        process.finish()
        #expect(await process.outcome().status == 0)
        #expect(try command.files().count == 3)
    }

    @Test("A stop limit counts the pictures before and after a reload")
    func stopAfterReload() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "300ms", "-o",
            "%n.jpg", "--max-count", "6", "--ledger", "off", "--json")
        for _ in 0..<4 { _ = try await process.event("captured") }
        process.send(SIGHUP)
        #expect(await process.outcome().status == 74)
        // At this interval, the frames of three slots may wait to be stored, and are stored after the sixth picture.
        #expect(try 6...9 ~= command.files().count)
    }

    @Test("A reload with a prune policy counts the earlier pictures from the ledger")
    func pruneAfterReload() async throws {
        let command = try Command()
        try command.write("max-count: 1000\n", to: "mine.yaml")
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--preset", "mine.yaml",
            "--interval", "100ms", "-o", "%n.jpg", "--json")
        for _ in 0..<5 { _ = try await process.event("captured") }
        try command.write("max-count: 3\non-limit: prune\n", to: "mine.yaml")
        process.send(SIGHUP)
        _ = try await process.event("opening")
        _ = try await process.event("removed")
        process.finish()
        #expect(await process.outcome().status == 0)
        #expect(try command.files().filter { $0.hasSuffix(".jpg") }.count == 3)
    }

    @Test("A reload whose output cannot be created is reported, and changes nothing")
    func unmakableReload() async throws {
        let command = try Command()
        try command.write("output: '%n.jpg'\n", to: "mine.yaml")
        let process = try start(command, "--preset", "./mine.yaml", "--interval", "1h")
        _ = try await process.event("captured")
        try command.write("output: /proc/x/%n.jpg\n", to: "mine.yaml")
        process.send(SIGHUP)
        let message: String? = try await process.event("notice")["message"]
        #expect(message?.contains("settings not reloaded: /proc/x") == true)
        process.send(SIGUSR1)
        _ = try await process.event("captured")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
    }

    @Test("A reload with another interval reports no missed slots")
    func otherInterval() async throws {
        let command = try Command()
        try command.write("interval: 1h\n", to: "mine.yaml")
        let process = try start(command, "--preset", "./mine.yaml", "-o", "%n.jpg")
        _ = try await process.event("captured")
        try command.write("interval: 500ms\n", to: "mine.yaml")
        process.send(SIGHUP)
        for _ in 1...2 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        let events = try outcome.events
        // The slots continue after those before the reload. A busy machine may miss some.
        let slots = events.flatMap(\.accountedSlots).sorted()
        #expect(slots == Array(0..<slots.count), "\(slots)")
        #expect(!events.contains { $0.name == "missed" && $0["reason"] == "not-running" })
    }

    @Test("A single aligned picture of the scene is captured")
    func alignedOnce() async throws {
        let command = try Command()
        let outcome = try await start(
            command, "--interval", "2s", "--align", "--count", "1", "--recover", "off", "-o", "%n.jpg"
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.files() == ["1.jpg"])
    }

    @Test("A dry run prints the schedule, the limits and the places")
    func dryRun() async throws {
        let command = try Command()
        let line = [
            "timelapse", "--camera", "scene", "--interval", "1m", "--hours", "08:00-18:00", "--days", "mon-fri",
            "--max-age", "7d", "--on-limit", "thin", "--recover", "1h", "--standby", "--ledger", "a.ledger",
            "--dry-run",
        ]
        let text = try await RunningCommand(line, in: command.folder).outcome().error
        for part in [
            "every 1m, 08:00:00-18:00:00 on mon tue wed thu fri", "7d old at most; then thin:2", "again for 1h",
            "closed between pictures", "ledger: a.ledger",
        ] { #expect(text.contains(part), "\(text)") }
    }

    @Test("A reload with an invalid preset is reported, and changes nothing")
    func brokenReload() async throws {
        let command = try Command()
        try command.write("width: 160\nheight: 120\n", to: "mine.yaml")
        let process = try command.start(
            "timelapse", "--camera", "scene", "--preset", "mine.yaml", "--interval", "1h", "-o", "%n.jpg", "--json")
        _ = try await process.event("captured")
        try command.write("width: [", to: "mine.yaml")
        process.send(SIGHUP)
        let notice = try await process.event("notice")
        #expect(notice["code"] == "reload-refused")
        let message: String? = notice["message"]
        #expect(message?.contains("mine.yaml") == true)
        process.send(SIGUSR1)
        #expect(try await process.event("captured")["width"] == 160)
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
    }
}
