// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(
    "A disk that fails", .timeLimit(.minutes(5)),
    .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
struct StorageTests {
    /// A stick of a size, plugged in at `stick`, which the command alone sees.
    private final class Stick: Sendable {
        private let folder: URL
        private let space: MountSpace
        /// Where it is plugged in, and where it is when it is not.
        private let place: String, drawer: String

        init(_ folder: URL, size: String = "1M") throws {
            self.folder = folder
            space = try MountSpace()
            (place, drawer) = (folder.path + "/stick", folder.path + "/drawer")
            for path in [place, drawer] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try space.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", drawer)
            try plugIn()
        }

        func plugIn() throws { try space.run("mount", "--bind", drawer, place) }

        /// Plugs in what is the same by its content only, as another device shows it.
        func plugInAnew() throws {
            try space.run("sh", "-c", "mkdir \(place)-copy && mount -t tmpfs -o size=4M none \(place)-copy")
            try space.run("cp", "-a", drawer + "/.", place + "-copy")
            try space.run("mount", "--bind", place + "-copy", drawer)
            try plugIn()
        }

        func pull() throws { try space.run("umount", "--lazy", place) }

        /// Refused while a file is open for writing: then it is tried again.
        func setWritable(_ isWritable: Bool) {
            while (try? space.run("mount", "-o", "remount,bind,\(isWritable ? "rw" : "ro")", place)) == nil {}
        }

        /// Takes this much of it, or gives it free.
        func fill(_ kilobytes: Int) throws {
            try space.run("dd", "if=/dev/zero", "of=\(drawer)/other", "bs=1k", "count=\(kilobytes)", "status=none")
        }

        /// Takes all that is left of it.
        func fill() { try? fill(1 << 20) }

        func clear() throws { try space.run("rm", "\(drawer)/other") }

        /// The files that are on it.
        var files: [String] {
            get throws {
                try FileManager.default.subpathsOfDirectory(atPath: space.path(drawer)).sorted().filter {
                    $0 != "other" && !$0.split(separator: "/").contains(".gst-capture")
                }
            }
        }

        func bytes(_ name: String) -> Data {
            FileManager.default.contents(atPath: space.path(drawer) + "/" + name) ?? Data()
        }

        /// What is in the folder underneath.
        var underneath: [String] { get throws { try FileManager.default.subpathsOfDirectory(atPath: place) } }

        /// Without a ledger, a disk can become read-only, which a file that is open would keep it from.
        func start(
            _ arguments: String..., name: String = "%05n.jpg", hasLedger: Bool = false
        ) throws -> RunningCommand {
            let line = [
                "timelapse", "--camera", "scene", "--width", "320", "--height", "240", "--framerate", "30",
                "--interval", "100ms", "-o", place + "/" + name, "--json",
            ]
            let ledger = hasLedger ? [] : ["--ledger", "off"]
            return try RunningCommand(line + ledger + arguments, in: folder, launcher: space.launcher)
        }

        /// What the ledger on it says.
        func ledger(_ arguments: String...) async throws -> RunningCommand.Outcome {
            try await RunningCommand(["ledger", place] + arguments, in: folder, launcher: space.launcher).outcome()
        }
    }

    /// Looks whether all slots are accounted for once, and what was told as stored is there, whole, and nothing else.
    private func expectAccounted(_ outcome: RunningCommand.Outcome, on stick: Stick, in folder: String = "") throws {
        let events = try outcome.events
        let slots = slots(events.filter { ["captured", "missed", "failed"].contains($0.name) })
        #expect(slots == Array(0..<slots.count))
        let names = events.filter { $0.name == "captured" }.compactMap { event -> String? in
            (event["file"] as String?).map { URL(fileURLWithPath: $0).lastPathComponent }
        }
        #expect(names == names.sorted())
        #expect(try stick.files.filter { $0.hasSuffix(".jpg") || $0.contains(".tmp") } == names.map { folder + $0 })
        for name in names { #expect(stick.bytes(folder + name).isJPEG, "\(name)") }
    }

    private func slots(_ events: [Event]) -> [Int] {
        events.flatMap { event -> ClosedRange<Int> in
            let first: Int = event["slot"] ?? -1
            return first...(event["last_slot"] ?? first)
        }.sorted()
    }

    /// Looks whether the ledger has a line for each slot, one series and one run, and agrees with the files.
    private func expectLedger(_ outcome: RunningCommand.Outcome, on stick: Stick) async throws {
        let verified = try await stick.ledger("--verify")
        #expect(verified.status == 0, "\(verified.text)\(verified.error)")
        let lines = try await stick.ledger("--json").events
        let events = try outcome.events
        #expect(slots(lines) == slots(events.filter { ["captured", "missed", "failed"].contains($0.name) }))
        #expect(Set(lines.compactMap { $0["series"] as Int? }) == [1])
        #expect(Set(lines.compactMap { $0["run"] as Int? }) == [1])
    }

    @Test("Full, the ledger on it waits with the pictures, and goes on with them when there is room")
    func fullWithLedger() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "4M")
        let process = try stick.start(hasLedger: true)
        _ = try await process.event("captured")
        stick.fill()
        _ = try await process.event("storage-paused")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        try stick.clear()
        _ = try await process.event("storage-resumed")
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
        try await expectLedger(outcome, on: stick)
    }

    @Test(
        "Pulled out and plugged in again, the ledger on it is gone on with, and none is made underneath",
        arguments: ["64MB", "20kB"])
    func pulledWithLedger(hold: String) async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        let process = try stick.start("--hold", hold, hasLedger: true)
        _ = try await process.event("captured")
        try stick.pull()
        _ = try await process.event("storage-paused")
        for _ in 0..<12 { _ = try await process.event("will-capture") }
        #expect(try stick.underneath == [])
        try stick.plugInAnew()
        _ = try await process.event("storage-resumed")
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == (hold == "20kB" ? 74 : 0), "\(outcome.error)")
        #expect(try stick.underneath == [])
        try expectAccounted(outcome, on: stick)
        try await expectLedger(outcome, on: stick)
    }

    @Test(
        "Where the file system fails, the ledger goes on when it is mounted anew",
        .enabled("optional: no ext4 can be mounted here") { FailingDisk.isAllowed })
    func failing() async throws {
        let command = try Command()
        let disk = try FailingDisk(command.folder)
        let process = try RunningCommand(
            [
                "timelapse", "--camera", "scene", "--width", "320", "--height", "240", "--interval", "100ms", "-o",
                disk.place + "/%05n.jpg", "--json",
            ], in: command.folder, launcher: disk.launcher)
        for _ in 0..<5 { _ = try await process.event("captured") }
        try disk.fail()
        _ = try await process.event("storage-paused")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        try disk.mountAnew()
        _ = try await process.event("storage-resumed")
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let verified = try await RunningCommand(
            ["ledger", "--verify", disk.place], in: command.folder, launcher: disk.launcher
        ).outcome()
        #expect(verified.status == 0, "\(verified.text)\(verified.error)")
        let lines = try await RunningCommand(
            ["ledger", "--json", disk.place], in: command.folder, launcher: disk.launcher
        ).outcome().events
        #expect(slots(lines) == Array(0..<slots(lines).count))
        #expect(lines.count >= (try outcome.events.filter { $0.name == "captured" }.count))
    }

    @Test("Full, it pauses, pictures wait, and it goes on when there is room; nothing is torn")
    func full() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        try stick.fill(900)
        let process = try stick.start()
        let paused = try await process.event("storage-paused")
        #expect(paused["held"] == 1)
        #expect(paused.object("error")?["message"] == "the disk is full")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        try stick.clear()
        let resumed = try await process.event("storage-resumed")
        #expect(resumed["stored"] ?? 0 >= 3)
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
        #expect(try outcome.events.filter { $0.name == "storage-paused" }.count == 1)
    }

    @Test("Stopped while it is full, each picture that waits is told as failed")
    func fullToTheEnd() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        try stick.fill(950)
        let process = try stick.start()
        _ = try await process.event("storage-paused")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 74)
        try expectAccounted(outcome, on: stick)
        #expect(try outcome.events.filter { $0.name == "failed" }.count >= 3)
    }

    @Test("More than memory is for fails, and the oldest are kept")
    func bound() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        try stick.fill(1000)
        let process = try stick.start("--hold", "40kB")
        let paused = try await process.event("storage-paused")
        #expect(paused["held"] == 1)
        _ = try await process.event("failed")
        try stick.clear()
        let resumed = try await process.event("storage-resumed")
        #expect(resumed["stored"] == 3)
        process.send(SIGTERM)
        try expectAccounted(await process.outcome(), on: stick)
    }

    @Test("Read-only for a while, it goes on where it was")
    func readOnly() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        let process = try stick.start("--latest", command.folder.path + "/stick/newest")
        _ = try await process.event("captured")
        stick.setWritable(false)
        let paused = try await process.event("storage-paused")
        #expect(paused.object("error")?["message"] == "the file system is read-only")
        stick.setWritable(true)
        _ = try await process.event("storage-resumed")
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
    }

    @Test("Pulled out, nothing is written underneath, and plugged in again it goes on", arguments: ["", "day/"])
    func pulled(within: String) async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        let process = try stick.start(name: within + "%05n.jpg")
        _ = try await process.event("captured")
        try stick.pull()
        let paused = try await process.event("storage-paused")
        #expect(paused.object("error")?["message"] == "the file system of the pictures is gone")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        #expect(try stick.underneath == [])
        try stick.plugIn()
        _ = try await process.event("storage-resumed")
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try stick.underneath == [])
        try expectAccounted(outcome, on: stick, in: within)
    }

    @Test("Begun without what has to be mounted, nothing is made, and the advice says what to do")
    func notMounted() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        try stick.pull()
        let outcome = try await stick.start("--mount", command.folder.path + "/stick", name: "p/%n.jpg").outcome()
        #expect(outcome.status == 73)
        #expect(outcome.error.contains("nothing is mounted there") && outcome.error.contains("mount it"))
        #expect(try stick.underneath == [])
        try stick.plugIn()
        let mounted = try stick.start("--mount", command.folder.path + "/stick", "--count", "2", name: "p/%n.jpg")
        #expect(await mounted.outcome().status == 0)
        #expect(try stick.files == ["p", "p/1.jpg", "p/2.jpg"])
    }

    @Test("Space that is to stay free stays so: the oldest make room")
    func keepFree() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        let process = try stick.start("--keep-free", "900kB", "--on-limit", "prune")
        for _ in 0..<5 { _ = try await process.event("removed") }
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let free = try outcome.events.filter { $0.name == "storage" }.compactMap { $0["free_bytes"] as Int? }
        #expect(free.allSatisfy { $0 >= 900_000 } && !free.isEmpty)
        #expect(try stick.files.count >= 5)
    }
}

@Suite("Limits of a series", .timeLimit(.minutes(5)))
struct LimitTests {
    private func run(
        _ command: borrowing Command, _ count: String, _ limits: String...
    ) async throws -> RunningCommand.Outcome {
        let line = [
            "timelapse", "--camera", "scene", "--width", "320", "--height", "240", "--framerate", "100", "--interval",
            "50ms", "--count", count, "-o", "%n.jpg", "--json",
        ]
        return try await RunningCommand(line + limits, in: command.folder).outcome()
    }

    @Test("At a limit the series ends, with what it is and what to do")
    func stop() async throws {
        let command = try Command()
        let outcome = try await run(command, "100", "--max-count", "3")
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("--max-count: the series has reached its limit of 3 pictures"))
        #expect(outcome.error.contains("--on-limit prune"))
        #expect(try command.files().count >= 3 && command.files().count <= 5)
    }

    @Test("A limit is for all series in a ledger together")
    func earlierSeries() async throws {
        let command = try Command()
        for _ in 0..<3 {
            let outcome = try await run(command, "10", "--max-count", "3", "--on-limit", "prune")
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(try command.files().count == 3)
        }
    }

    @Test("Other files are no pictures of the series, whatever they are called")
    func foreign() async throws {
        let command = try Command()
        for number in 1...5 { try command.write("a user's", to: "\(number).jpg") }
        let outcome = try await run(command, "10", "--max-count", "2", "--on-limit", "prune")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.files().count == 7)
        for number in 1...5 { #expect(try command.bytes("\(number).jpg") == Data("a user's".utf8)) }
    }

    @Test("A policy without a limit is a mistake")
    func nothingToKeep() async throws {
        let command = try Command()
        let outcome = try await run(command, "1", "--on-limit", "prune")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("--on-limit: there is no limit"))
    }
}
