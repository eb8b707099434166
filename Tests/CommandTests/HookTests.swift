// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import PipelineKit
import PresetKit
import Synchronization
import Testing

@testable import gst_capture

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HookTests {
    private func run(
        _ command: borrowing Command, in folder: URL? = nil, _ arguments: String...
    ) async throws -> RunningCommand.Outcome {
        let series = ["timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--json"]
        return try await RunningCommand(
            series + arguments, in: folder ?? command.folder,
            environment: ["CAPTURE_REASON": "of another program", "NOTIFY_SOCKET": "@gst-capture-nobody"]
        ).outcome()
    }

    private func text(_ name: String, _ command: borrowing Command) throws -> String {
        String(decoding: try command.bytes(name), as: UTF8.self)
    }

    private func notices(_ outcome: RunningCommand.Outcome) throws -> [String] {
        try outcome.events.filter { $0.name == "notice" }.compactMap { $0["message"] }
    }

    @Test("One hook runs before each picture, and one after it is durable, in order")
    func order() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "500ms", "--count", "3", "-o", "%n.jpg", "--exec-before",
            "echo $CAPTURE_EVENT $CAPTURE_SLOT >>log", "--exec-after",
            "test -s \"$CAPTURE_FILE\" && echo $CAPTURE_EVENT $CAPTURE_SLOT >>log")
        #expect(outcome.status == 0, "\(outcome.error)")
        let taken: [Int] = try outcome.events.filter { $0.name == "captured" }.compactMap { $0["slot"] }
        let lines = try text("log", command).split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("after") } == taken.map { "after \($0)" })
        for slot in taken {
            let after = try #require(lines.firstIndex(of: "after \(slot)"))
            #expect(lines.firstIndex(of: "before \(slot)").map { $0 < after } ?? false)
        }
        #expect(try notices(outcome).isEmpty)
    }

    @Test("libcamera's log is silenced, unless the user enables it", arguments: [nil, "*:INFO"])
    func libcameraLog(wanted: String?) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            [
                "timelapse", "--camera", "scene", "--interval", "1s", "--count", "1", "-o", "a.jpg", "--exec-after",
                "echo $LIBCAMERA_LOG_LEVELS >level",
            ],
            in: command.folder, environment: wanted.map { ["LIBCAMERA_LOG_LEVELS": $0] } ?? [:]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try text("level", command) == "\(wanted ?? "*:FATAL")\n")
    }

    @Test("A hook gets variables, and prints to standard error")
    func variables() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "1s", "--count", "1", "--burst", "2", "-o", "%n.jpg", "--exec-after",
            "env >variables; echo printed; cat")
        #expect(outcome.status == 0, "\(outcome.error)")
        let still = try #require(try outcome.events.first { $0.name == "captured" })
        let variables = try text("variables", command)
        let (folder, due) = (command.folder.path, still["due"] as String? ?? "")
        for line in [
            "EVENT=after", "CAMERA=scene", "SLOT=0", "CAUSE=schedule", "DUE=\(due.prefix(19))", "SEQUENCE=1", "COUNT=2",
            "FILE=\(folder)/1.jpg\n", "FILES=\(folder)/1.jpg\n\(folder)/2.jpg\n", "OFFSET_MS=",
        ] {
            #expect(variables.contains("CAPTURE_\(line)"), "\(line)")
        }
        #expect(!variables.contains("CAPTURE_REASON") && !variables.contains("NOTIFY_SOCKET"))
        #expect(!outcome.text.contains("printed") && outcome.error.contains("printed"))
    }

    @Test("Hostile file names do no harm in a hook")
    func hostileNames() async throws {
        let command = try Command()
        let folder = command.folder.appendingPathComponent("a\nb 'c' \"d\"")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = "$(touch harm) `touch harm`;touch harm '\" \\ -%n.jpg"
        let outcome = try await run(
            command, in: folder, "--interval", "1s", "--count", "1", "--output=-" + name, "--exec-after",
            "printf %s \"$CAPTURE_FILE\" >../seen; cp \"$CAPTURE_FILE\" ../copy.jpg")
        #expect(outcome.status == 0, "\(outcome.error)")
        let file = folder.path + "/-" + name.replacingOccurrences(of: "%n", with: "1")
        #expect(try text("seen", command) == file)
        #expect(try command.bytes("copy.jpg").isJPEG)
        #expect(try command.files().allSatisfy { !$0.hasSuffix("harm") })
    }

    @Test("All slots of a series pass while the hooks of the first one still run")
    func noDelay() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "300ms", "--count",
            "6",
            "-o", "%n.jpg", "--exec-limit", "1h", "--exec-before", "sleep 1000", "--exec-after", "sleep 1000", "--json")
        var slots: [Int] = []
        for await line in process.lines {
            let event = try Event(line)
            #expect(event.name != "notice", "no hook ends before the last slot: \(line)")
            if ["captured", "missed", "failed"].contains(event.name) {
                slots += [event["slot"] as Int?].compactMap(\.self)
            }
            if slots.count == 6 { break }
        }
        #expect(slots.sorted() == [0, 1, 2, 3, 4, 5])
        process.send(SIGTERM)
        _ = try await process.event("notice")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
    }

    @Test("A hook that exceeds its time limit is ended and reported, and pictures continue")
    func limit() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "300ms", "--count", "6", "-o", "%n.jpg", "--exec-before", "sleep 1000",
            "--exec-after", "sleep 1000", "--exec-limit", "400ms")
        #expect(outcome.status == 0)
        let accounts = try outcome.events.filter { ["captured", "missed", "failed"].contains($0.name) }
        #expect(accounts.compactMap { $0["slot"] as Int? }.sorted() == [0, 1, 2, 3, 4, 5])
        let notices = try notices(outcome)
        #expect(notices.contains { $0.hasPrefix("--exec-before timed out after") })
        #expect(notices.contains { $0.hasPrefix("--exec-after timed out after") })
        #expect(notices.contains { $0.hasPrefix("--exec-after takes too long: ") })
    }

    @Test("A hook that exceeds its limit is ended with all its processes, even those that ignore SIGTERM")
    func group() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "1s", "--count", "1", "-o", "%n.jpg", "--exec-limit", "300ms", "--exec-after",
            "(trap '' TERM; sleep 1000 & echo $! >deaf; wait) & sleep 1000 & echo $! >hearing; wait")
        #expect(outcome.status == 0)
        for name in ["deaf", "hearing"] {
            let number = try text(name, command).trimmingCharacters(in: .whitespacesAndNewlines)
            // The process that inherits it may not have reaped it yet.
            let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8).split(separator: " ")[2]
            #expect(state == nil || state == "Z", "\(name)")
        }
    }

    @Test("The end of the series waits for a running hook")
    func end() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "1s", "--count", "1", "-o", "%n.jpg", "--exec-after", "sleep 0.5; touch done")
        #expect(outcome.status == 0)
        #expect(try command.files() == ["1.jpg", "done"])
    }

    @Test("A running hook is ended when a second SIGTERM stops the series")
    func cancelled() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg", "--exec-limit", "1h", "--exec-after",
            "touch running; sleep 1000", "--json")
        _ = try await process.event("captured")
        process.send(SIGTERM)
        _ = try await process.event("notice")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
    }

    @Test("A hook that fails is reported, and the series continues")
    func failure() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "1s", "--count", "1", "-o", "%n.jpg", "--exec-before", "kill -KILL $$",
            "--exec-after",
            "exit 3")
        #expect(outcome.status == 0)
        #expect(try notices(outcome) == ["--exec-before was ended by signal 9", "--exec-after ended with status 3"])
        let events = try outcome.events.filter { $0.name == "notice" }
        #expect(events.allSatisfy { $0["code"] == "hook-failed" })
        #expect(events.compactMap { $0["subject"] as String? } == ["--exec-before", "--exec-after"])
    }

    @Test("Hooks run when a camera is lost and when it recovers, with the reason")
    func lost() async throws {
        let command = try Command()
        let log = command.folder.appendingPathComponent("log").path
        var settings = CaptureSettings()
        settings.execLost = "printf '%s %s\\n' $CAPTURE_EVENT \"$CAPTURE_REASON\" >>\(log)"
        settings.execRecovered = "printf '%s %s\\n' $CAPTURE_EVENT $CAPTURE_AFTER_MS >>\(log)"
        let hooks = HookRunner(HookCommands(settings, .camera(.scene))) { _ in }
        await hooks.follow(.lost(CaptureError(.noCamera, "is \"gone\" $(touch harm)", subject: "cam")))
        await hooks.follow(.recovered(after: .milliseconds(1500)))
        await hooks.finish()
        #expect(try text("log", command) == "lost cam: is \"gone\" $(touch harm)\nrecovered 1500\n")
    }

    @Test("A preset may have hooks of several lines; control characters are refused")
    func settings() throws {
        let settings = try CaptureSettings(options: [("exec-after", "a\n\tb"), ("exec-limit", "2s")])
        #expect(settings.execAfter == "a\n\tb" && settings.execLimit == .seconds(2))
        #expect(throws: CaptureError.self) { try CaptureSettings(options: [("exec-after", "a\u{1B}b")]) }
        #expect(throws: CaptureError.self) { try CaptureSettings(options: [("exec-limit", "0")]) }
    }
}

@Suite("The queue of hooks")
struct HookQueueTests {
    private func job(_ slot: Int) -> HookJob {
        HookJob(hook: .after, command: "true", variables: ["CAPTURE_SLOT": "\(slot)"], limit: .seconds(1))
    }

    @Test("If too many hooks wait, the oldest are dropped and counted")
    func bounded() {
        var queue = HookQueue(capacity: 2)
        for slot in 0..<5 { queue.add(job(slot)) }
        #expect(queue.takeLeftOut() == 3)
        #expect(queue.takeLeftOut() == 0)
        #expect(queue.next()?.variables["CAPTURE_SLOT"] == "3")
        queue.add(job(5))
        queue.leaveOut(withOthers: true)
        #expect(queue.next() == nil)
        #expect(queue.takeLeftOut() == 3)
    }
}
