// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("Resuming a timelapse", .timeLimit(.minutes(10)))
struct ResumeTests {
    private static let series = [
        "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "-i", "100ms", "-o", "%04n.jpg",
        "--json",
    ]

    private func start(_ command: borrowing Command, _ arguments: String...) throws -> RunningCommand {
        try RunningCommand(Self.series + arguments, in: command.folder)
    }

    private func lines(_ command: borrowing Command) async throws -> [Event] {
        try await command.run("ledger", "--json").events
    }

    /// The number of times that a series is killed: 12 by default, 50 in `make soak`, or 200 by `KILLS=200`.
    private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 12

    /// Kills a series repeatedly at moments without an event, its first and its last millisecond included, and resumes
    /// it each time.
    ///
    /// - Returns: The names of the reported pictures.
    private func killAndResume(_ command: borrowing Command) async throws -> [String] {
        var reported: [String] = []
        for round in 0..<Self.kills {
            let process = try start(command, "--resume")
            // Half of the kills come before the first picture, as far as the timing allows.
            if round.isMultiple(of: 2) { _ = try await process.event("captured") }
            try await Task.sleep(for: .microseconds(.random(in: 0...400_000)))
            process.send(SIGKILL)
            reported += try await process.outcome().events.filter { $0.name == "captured" }.compactMap { $0["file"] }
        }
        let process = try start(command, "--resume")
        reported.append(try #require(try await process.event("captured")["file"]))
        process.finish()
        #expect(await process.outcome().status == 0)
        return reported
    }

    @Test(
        "After kills at any moment all reported pictures are whole, and each slot has one line"
    )
    func killed() async throws {
        let command = try Command()
        let reported = try await killAndResume(command)
        #expect(reported.count >= Self.kills / 2)
        #expect(try await command.run("ledger", "--verify").status == 0)
        let lines = try await lines(command)
        let files: [String] = lines.compactMap { ($0["file"] as String?).map { ($0 as NSString).lastPathComponent } }
        #expect(Set(reported).isSubset(of: files))
        #expect(Set(files).count == files.count)
        // A picture that was stored, but not reported before the kill, is whole like the others.
        let stored = try command.files()
        #expect(Set(files).isSubset(of: stored) && stored.count <= files.count + Self.kills)
        for file in stored {
            #expect(try DecodedPicture(command.bytes(file)).size == "160 120", "\(file)")
            await Task.yield()
        }
        checkRhythm(lines)
    }

    /// Checks that every slot occurs once, none is missing, and each is due in the phase of the first run.
    private func checkRhythm(_ lines: [Event]) {
        #expect(Set(lines.compactMap { $0["series"] as Int? }) == [1])
        let slots = lines.compactMap { line -> ClosedRange<Int>? in
            guard let first: Int = line["slot"], let last: Int = line["last_slot"] else { return nil }
            return first...last
        }.sorted { $0.lowerBound < $1.lowerBound }
        #expect(slots.first?.lowerBound == 0)
        for (slot, next) in zip(slots, slots.dropFirst()) { #expect(next.lowerBound == slot.upperBound + 1) }
        let dues = lines.compactMap { line in (line["due"] as String?).map { ($0, line["slot"] as Int? ?? 0) } }
        let moments = dues.map { Self.milliseconds($0.0) - 100 * Double($0.1) }
        #expect((moments.max() ?? 0) - (moments.min() ?? 0) <= 3, "\(moments)")
    }

    @Test("A second process on a series is refused, and the first continues")
    func twice() async throws {
        let command = try Command()
        let first = try start(command)
        _ = try await first.event("captured")
        let second = try await RunningCommand(Self.series, in: command.folder).outcome()
        #expect(second.status == 75)
        #expect(second.error.contains("process \(first.identifier)"), "\(second.error)")
        _ = try await first.event("captured")
        first.finish()
        #expect(await first.outcome().status == 0)
    }

    @Test("A run without --resume begins a new series in the same ledger")
    func anew() async throws {
        let command = try Command()
        for _ in 0..<2 {
            let process = try start(command)
            _ = try await process.event("captured")
            process.send(SIGTERM)
            _ = await process.outcome()
        }
        #expect(try await Set(lines(command).compactMap { $0["series"] as Int? }) == [1, 2])
    }

    @Test("A complete series is reported as complete")
    func complete() async throws {
        let command = try Command()
        for isFirst in [true, false] {
            let outcome = try await start(command, "--resume", "-n", "2", "--recover", "off").outcome()
            let notices = try outcome.events.filter { $0["code"] == "series-complete" }
            #expect(outcome.status == 0 && notices.isEmpty == isFirst)
            let messages: [String] = notices.compactMap { $0["message"] }
            #expect(messages.allSatisfy { $0 == "the series is complete: each of its slots is accounted for" })
        }
    }

    @Test("Resuming a series with different settings is refused")
    func differs() async throws {
        let command = try Command()
        let process = try start(command)
        _ = try await process.event("captured")
        process.send(SIGTERM)
        _ = await process.outcome()
        let outcome = try await command.run(
            "timelapse", "--camera", "scene", "-i", "5s", "-o", "%04n.jpg", "--resume")
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("every 100ms, not every 5s"), "\(outcome.error)")
    }

    @Test("Resuming needs an existing folder and a ledger")
    func missing() async throws {
        let command = try Command()
        let gone = try await command.run("timelapse", "--camera", "scene", "-i", "5s", "-o", "usb/%04n.jpg", "--resume")
        #expect(gone.status == 66)
        let off = try await command.run(
            "timelapse", "--camera", "scene", "-i", "5s", "-o", "%04n.jpg", "--resume", "--ledger", "off")
        #expect(off.status == 64)
        #expect(try command.files().isEmpty)
    }

    private static func milliseconds(_ text: String) -> Double {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return (formatter.date(from: text)?.timeIntervalSince1970 ?? 0) * 1000
    }
}
