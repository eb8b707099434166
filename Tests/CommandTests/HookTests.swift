// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import PresetKit
import SessionKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import HookKit
@testable import gst_capture

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HookTests {
    private func run(
        _ command: borrowing Command, in folder: URL? = nil, _ arguments: String...
    ) async throws -> RunningCommand.Outcome {
        let series = ["timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--json"]
        return try await RunningCommand(
            series + arguments, in: folder ?? command.folder,
            environment: ["CAPTURE_REASON": "of another program", "NOTIFY_SOCKET": "@gst-capture-unbound"]
        ).outcome()
    }

    private func text(_ name: String, _ command: borrowing Command) throws -> String {
        String(decoding: try command.bytes(name), as: UTF8.self)
    }

    /// The messages of hooks that failed.
    private func failures(_ outcome: RunningCommand.Outcome) throws -> [String] {
        try outcome.events.filter { $0["code"] == "hook-failed" }.compactMap { $0["message"] }
    }

    @Test("The help names every variable of hooks, in a capture and in a session")
    func help() {
        var settings = CaptureSettings()
        (settings.execBefore, settings.execAfter) = ("true", "true")
        (settings.execLost, settings.execRecovered) = ("true", "true")
        let commands = HookCommands(settings, .fragment("videotestsrc"))
        let slot = Slot(index: 0, due: .zero)
        let still = Still(
            slot: slot, burstIndex: 0, path: "/a", sequence: 1, byteCount: 1, width: 1, height: 1, captured: .now(),
            offset: .zero, isLate: false, encodingTime: .zero, storingTime: .zero, bytes: nil)
        let file = SessionFileRecord(name: "one-001.jpg", byteCount: 1, sha256: "", width: 1, height: 1)
        let jobs = [
            commands.before(slot, in: .seconds(1)), commands.after(slot, [still]),
            commands.before(stage: "one", in: .seconds(1)),
            commands.after(SessionStill(number: 1, stage: "one", file: file), in: nil),
            commands.lost(CaptureError(.noCamera, "is gone")), commands.recovered(after: .seconds(1)),
        ].compactMap { $0 }
        #expect(jobs.count == 6)
        let names = Set(jobs.flatMap { $0.variables.keys })
        #expect(names.filter { !CaptureHelp.hooks.contains("  \($0) ") } == [])
    }

    @Test("One hook runs before each picture, and one after it is durable, in order")
    func order() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "500ms", "--count", "3", "--recover", "off", "-o", "%n.jpg", "--exec-before",
            "echo $CAPTURE_EVENT $CAPTURE_SLOT >>log", "--exec-after",
            "test -s \"$CAPTURE_FILE\" && echo $CAPTURE_EVENT $CAPTURE_SLOT >>log")
        #expect(outcome.status == 0, "\(outcome.error)")
        let slots = try HookSlots(outcome.events, log: text("log", command))
        // A busy machine may miss slots, but not the last one.
        #expect(slots.upcoming.first == 0 && !slots.taken.isEmpty)
        #expect(try outcome.events.flatMap(\.accountedSlots).sorted() == [0, 1, 2])
        #expect(slots.after == slots.taken)
        // A slot that became the next one after it was due has no event `upcoming`. A command that is too late for its
        // slot is reported.
        let late = try outcome.events.filter { $0["code"] == "hook-failed" }
        #expect(late.allSatisfy { $0["subject"] == "--exec-before" })
        #expect(slots.before == slots.upcoming || !late.isEmpty)
        #expect(Set(slots.before).isSubset(of: slots.upcoming) && slots.before == slots.before.sorted())
        #expect(slots.after.allSatisfy(slots.isBeforeFirst) || !late.isEmpty)
    }

    /// The slots of a series, in the order of its events and of its hooks.
    private struct HookSlots {
        let upcoming: [Int]
        let taken: [Int]
        let before: [Int]
        let after: [Int]
        private let lines: [String]

        /// Reads the events, and a log of lines such as "before 1".
        init(_ events: [Event], log: String) throws {
            upcoming = events.filter { $0.name == "upcoming" }.compactMap { $0["slot"] }
            taken = events.filter { $0.name == "captured" }.compactMap { $0["slot"] }
            let lines = log.split(separator: "\n").map(String.init)
            func slots(_ hook: String) -> [Int] {
                lines.filter { $0.hasPrefix(hook) }.compactMap { Int($0.dropFirst(hook.count + 1)) }
            }
            (before, after, self.lines) = (slots("before"), slots("after"), lines)
        }

        /// Whether the line of the hook `before` is the first of the two, if the slot has one.
        func isBeforeFirst(_ slot: Int) -> Bool {
            guard let before = lines.firstIndex(of: "before \(slot)") else { return true }
            return lines.firstIndex(of: "after \(slot)").map { before < $0 } ?? false
        }
    }

    @Test("libcamera's log is silenced, unless the user enables it", arguments: [nil, "*:INFO"])
    func libcameraLog(wanted: String?) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            [
                "timelapse", "--camera", "scene", "--interval", "1h", "--count", "1", "-o", "a.jpg", "--exec-after",
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
            command, "--interval", "1h", "--count", "1", "--burst", "2", "-o", "%n.jpg", "--exec-after",
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
            command, in: folder, "--interval", "1h", "--count", "1", "--output=-" + name, "--exec-after",
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
            "6", "--recover", "off", "-o", "%n.jpg", "--exec-limit", "1h", "--exec-before", "sleep 1000",
            "--exec-after", "until test -e over; do sleep 0.1; done", "--json")
        var slots: [Int] = []
        for await line in process.lines {
            let event = try Event(line)
            slots += event.accountedSlots
            // A command before a slot ends with the slot. The one after the first slot runs until the series is over.
            #expect(event["code"] != "hook-failed" || event["subject"] == "--exec-before", "\(line)")
            // The series is over, and waits for its hooks.
            if event["code"] == "stopping" { break }
        }
        #expect(slots.sorted() == Array(0..<6))
        try command.write("", to: "over")
        #expect(await process.outcome().status == 0)
    }

    @Test("A hook that exceeds its time limit is ended and reported, and pictures continue")
    func limit() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "300ms", "--count", "6", "--recover", "off", "-o", "%n.jpg", "--exec-before",
            "sleep 1000", "--exec-after", "sleep 1000", "--exec-limit", "400ms")
        #expect(outcome.status == 0)
        #expect(try outcome.events.flatMap(\.accountedSlots).sorted() == Array(0..<6))
        // A command that could not start in time is dropped, and reported too.
        let failures = try failures(outcome)
        for option in ["--exec-before", "--exec-after"] {
            let reports = ["\(option) timed out after", "\(option) takes too long: "]
            #expect(failures.contains { failure in reports.contains { failure.hasPrefix($0) } })
        }
    }

    @Test("Hooks that do not keep up are dropped and reported")
    func dropped() async {
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        var settings = CaptureSettings()
        settings.execLimit = .milliseconds(100)
        settings.execLost = "sleep 1000"
        let hooks = HookRunner(HookCommands(settings, .camera(.scene))) { continuation.yield($0.message) }
        // One command runs and 16 wait. Each runs for two seconds, so that the queue is full even on a slow machine.
        for _ in 0..<100 { await hooks.follow(.lost(CaptureError(.noCamera, "is gone"))) }
        var reports = messages.makeAsyncIterator()
        let limit = "--exec-lost timed out after 100 ms, and was ended"
        var report = await reports.next()
        #expect(report == limit)
        while report == limit { report = await reports.next() }
        #expect(report?.hasPrefix("--exec-lost takes too long: ") == true)
        await hooks.cancel()
        await hooks.finish()
    }

    @Test("A hook that exceeds its limit is ended with all its processes, even those that ignore SIGTERM")
    func group() async throws {
        let command = try Command()
        let folder = command.folder
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "1s", "-o", "%n.jpg",
            "--exec-limit", "300ms", "--exec-after",
            "(trap '' TERM; sleep 1000 & echo $! >>deaf; wait) & sleep 1000 & echo $! >>hearing; wait", "--json")
        // On a busy machine the limit can end a hook before it has written both numbers.
        while numbers("deaf", in: folder).isEmpty || numbers("hearing", in: folder).isEmpty {
            while try await process.event("notice")["code"] != "hook-failed" {}
        }
        process.finish()
        #expect(await process.outcome().status == 0)
        // A slow machine ends a process later than the signal, but long before the process ends by itself.
        for number in numbers("deaf", in: folder) + numbers("hearing", in: folder) {
            while runs(number) { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    /// `false` if a process has ended, even if the process that inherits it has not reaped it yet.
    private func runs(_ number: Substring) -> Bool {
        let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
        return stat.map { $0.split(separator: " ").dropFirst(2).first != "Z" } ?? false
    }

    /// The numbers in a file, one a line; none if it does not exist.
    private func numbers(_ name: String, in folder: URL) -> [Substring] {
        let content = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return (content ?? "").split(separator: "\n")
    }

    @Test("A hook that is canceled is ended with all its processes, even those that ignore SIGTERM")
    func cancelledGroup() async throws {
        let command = try Command()
        let path = command.folder.appendingPathComponent("pipe").path
        let pipe = try NamedPipe(path)
        var settings = CaptureSettings()
        settings.execLimit = .seconds(3600)
        settings.execLost = "exec 3>\(path); (trap '' TERM; echo ready >&3; sleep 1000) & sleep 1000"
        let hooks = HookRunner(HookCommands(settings, .camera(.scene))) { Issue.record("\($0)") }
        await hooks.follow(.lost(CaptureError(.noCamera, "is gone")))
        for await line in pipe.lines where line == "ready" { break }
        await hooks.cancel()
        await hooks.finish()
        // Each of the processes has the pipe open until it ends.
        for await _ in pipe.lines {}
    }

    @Test("The end of the series waits for a running hook")
    func end() async throws {
        let command = try Command()
        let outcome = try await run(
            command, "--interval", "1h", "--count", "1", "-o", "%n.jpg", "--exec-after", "sleep 0.5; touch done")
        #expect(outcome.status == 0)
        #expect(try command.files() == ["1.jpg", "done"])
    }

    @Test("A running hook is ended when a second SIGTERM stops the series")
    func cancelled() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg", "--exec-limit", "1h", "--exec-after",
            "exec sleep 1000", "--json")
        _ = try await process.event("captured")
        process.send(SIGTERM)
        while try await process.event("notice")["code"] != "stopping" {}
        let (outcome, isTooSlow) = await process.end(by: SIGTERM)
        #expect(outcome.status == 0 || isTooSlow, "\(outcome.status) \(outcome.error)")
    }

    @Test("A second signal ends the running hook of a session")
    func cancelledInSession() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let pipe = try NamedPipe(command.folder.path + "/pipe")
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--json", "-o", "out", "--exec-limit", "1h", "--exec-after",
            // A process that is being forked can miss the signal, and would keep the pipe and the command's streams open.
            "exec 3>pipe; trap 'echo ended >&3; exit' TERM; echo ready >&3; sleep 1000 3>&- >/dev/null 2>&1 & wait",
            in: command)
        try await process.hurry { $0["phase"] == "ready" }
        process.send(SIGUSR1)
        for await line in pipe.lines where line == "ready" { break }
        process.send(SIGTERM)
        // Four seconds after the first signal a slow machine ends the session and the hook without the second one.
        _ = try? await process.event("finished")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 128 + SIGTERM)
        var lines: [String] = []
        for await line in pipe.lines { lines.append(line) }
        #expect(lines == ["ended"])
    }

    @Test("A signal does not end the last hook of a session, and the session keeps its status")
    func lastInSession() async throws {
        let command = try Command()
        try command.write("stages:\n  - {name: one, countdown: 0s}\n", to: "one.yaml")
        let pipe = try NamedPipe(command.folder.path + "/pipe")
        let process = try RunningCommand.session(
            "run", "one.yaml", "--auto", "--json", "-o", "out", "--exec-limit", "1h", "--exec-after",
            "echo ready >pipe; until test -e signaled; do sleep 0.1; done; sleep 10; touch done", in: command)
        for await line in pipe.lines where line == "ready" { break }
        _ = try await process.event("finished")
        process.send(SIGTERM)
        // From here on the hook runs longer than the four seconds after which a session that hangs is ended.
        try command.write("", to: "signaled")
        #expect(await process.outcome().status == 0)
        #expect(try command.files().contains("done"))
    }

    @Test("A hook that fails is reported, and the series continues")
    func failure() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "1h", "--count", "1",
            "-o", "%n.jpg", "--exec-limit", "1h", "--exec-before", "kill -KILL $$", "--exec-after", "exit 3", "--json")
        // On a busy machine the first hook has an hour to fail. Then the picture is taken.
        while try await process.event("notice")["code"] != "hook-failed" {}
        process.send(SIGUSR1)
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        let events = try outcome.events.filter { $0["code"] == "hook-failed" }
        #expect(
            events.compactMap { $0["message"] as String? } == [
                "--exec-before was ended by signal 9", "--exec-after ended with status 3",
            ])
        #expect(events.compactMap { $0["subject"] as String? } == ["--exec-before", "--exec-after"])
    }

    @Test("A hook that fails is reported even if the command was started with SIGCHLD ignored")
    func ignoredSignal() async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            [
                "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--json", "--interval", "1h",
                "--count", "1", "-o", "%n.jpg", "--exec-after", "exit 3",
            ],
            in: command.folder, launcher: ["/usr/bin/env", "--ignore-signal=CHLD"]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try failures(outcome) == ["--exec-after ended with status 3"])
    }

    @Test("Hooks run when a camera is lost and when it recovers, with the reason")
    func lost() async throws {
        let command = try Command()
        let log = command.folder.appendingPathComponent("log").path
        var settings = CaptureSettings()
        settings.execLimit = .seconds(3600)
        settings.execLost = "printf '%s %s\\n' $CAPTURE_EVENT \"$CAPTURE_REASON\" >>\(log)"
        settings.execRecovered = "printf '%s %s\\n' $CAPTURE_EVENT $CAPTURE_AFTER_MS >>\(log)"
        let hooks = HookRunner(HookCommands(settings, .camera(.scene))) { _ in }
        await hooks.follow(.lost(CaptureError(.noCamera, "is \"gone\" $(touch harm)", subject: "cam")))
        await hooks.follow(.recovered(after: .milliseconds(1500)))
        await hooks.finish()
        #expect(try text("log", command) == "lost cam: is \"gone\" $(touch harm)\nrecovered 1500\n")
    }

    @Test("The hooks of a session name the camera that an event is about")
    func cameras() async throws {
        let command = try Command()
        let log = command.folder.appendingPathComponent("log").path
        var settings = CaptureSettings()
        settings.execLimit = .seconds(3600)
        let line = "echo $CAPTURE_EVENT $CAPTURE_CAMERA >>\(log)"
        (settings.execLost, settings.execRecovered) = (line, line)
        settings.execAfter = "echo $CAPTURE_FILE \"($CAPTURE_CAMERA)\" >>\(log)"
        func picture(_ camera: String?) -> SessionEvent {
            let file = SessionFileRecord(name: "1.jpg", byteCount: 1, sha256: "", width: 1, height: 1)
            var still = SessionStill(number: 1, stage: "one", file: file)
            still.camera = camera
            return .captured(still, folder: "/f")
        }
        let events: [[SessionEvent]] = [
            [.camera("front", .front), .camera("back", .back), .lost(CaptureError(.noCamera, "is gone"), .front)],
            [.opening(camera: "front", .front, pipeline: "")], [.recovered(.front)], [picture("back")], [picture(nil)],
        ]
        let hooks = HookRunner(HookCommands(settings, .camera(.scene))) { _ in }
        for part in events {
            for event in part { await hooks.follow(session: event) }
            await hooks.finish()
        }
        #expect(try text("log", command) == "lost front\nrecovered front\n/f/1.jpg (back)\n/f/1.jpg ()\n")
    }

    @Test("A preset may have hooks of several lines; control characters are refused")
    func settings() throws {
        let settings = try CaptureSettings(options: [("exec-after", "a\n\tb"), ("exec-limit", "2s")])
        #expect(settings.execAfter == "a\n\tb" && settings.execLimit == .seconds(2))
        #expect(throws: CaptureError.self) { try CaptureSettings(options: [("exec-after", "a\u{1B}b")]) }
        #expect(throws: CaptureError.self) { try CaptureSettings(options: [("exec-limit", "0")]) }
    }
}

@Suite("The queue of hooks", .timeLimit(.minutes(5)))
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
