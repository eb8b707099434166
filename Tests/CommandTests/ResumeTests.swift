// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("A timelapse that goes on", .timeLimit(.minutes(2)))
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

    /// A series that was killed at six moments that no event marks, and gone on with each time.
    ///
    /// - Returns: The names of the pictures that were told.
    private func killAndResume(_ command: borrowing Command) async throws -> [String] {
        var told: [String] = []
        for _ in 0..<6 {
            let process = try start(command, "--resume")
            for _ in 0..<Int.random(in: 1...6) {
                told.append(try #require(try await process.event("captured")["file"]))
            }
            for _ in 0..<Int.random(in: 0...50_000) { await Task.yield() }
            process.send(SIGKILL)
            _ = await process.outcome()
        }
        let process = try start(command, "--resume")
        told.append(try #require(try await process.event("captured")["file"]))
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
        return told
    }

    @Test("killed at any moment, then resumed: all that was told is there and whole, and no number comes twice")
    func killed() async throws {
        let command = try Command()
        let told = try await killAndResume(command)
        #expect(try await command.run("ledger", "--verify").status == 0)
        let lines = try await lines(command)
        let files: [String] = lines.compactMap { ($0["file"] as String?).map { ($0 as NSString).lastPathComponent } }
        #expect(Set(told).isSubset(of: files))
        #expect(Set(files).count == files.count)
        #expect(Set(lines.compactMap { $0["series"] as Int? }) == [1])
    }

    @Test("killed, then resumed: every slot is accounted for once, in the rhythm of the first run")
    func rhythm() async throws {
        let command = try Command()
        _ = try await killAndResume(command)
        let lines = try await lines(command)
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

    @Test("a second process on a series is refused, and the first goes on")
    func twice() async throws {
        let command = try Command()
        let first = try start(command)
        _ = try await first.event("captured")
        let second = try await RunningCommand(Self.series, in: command.folder).outcome()
        #expect(second.status == 75)
        #expect(second.error.contains("process \(first.identifier)"), "\(second.error)")
        _ = try await first.event("captured")
        first.send(SIGTERM)
        #expect(await first.outcome().status == 0)
    }

    @Test("without --resume a new series begins in the same ledger")
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

    @Test("other settings than the series has are told")
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

    @Test("a folder that is missing is no new series, and without a ledger there is nothing to go on with")
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
