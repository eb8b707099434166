// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(
    "A disk that fails", .timeLimit(.minutes(5)),
    .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
struct StorageTests {
    /// A stick of a given size, mounted at `stick`, that only the command sees.
    private final class Stick: Sendable {
        private let folder: URL
        private let space: MountSpace
        /// The mount point, and the folder that holds the file system while the stick is unplugged.
        private let place: String, drawer: String
        private let size: String

        /// Plugs in a stick that by default has room for the pictures of ten minutes: a slow test must not fill it.
        init(_ folder: URL, size: String = "64M") throws {
            (self.folder, self.size) = (folder, size)
            space = try MountSpace()
            (place, drawer) = (folder.path + "/stick", folder.path + "/drawer")
            for path in [place, drawer] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try space.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", drawer)
            try plugIn()
        }

        func plugIn() throws { try space.run("mount", "--bind", drawer, place) }

        /// Plugs in a copy with the same content, as another device would show it.
        func plugInAnew() throws {
            try space.run("sh", "-c", "mkdir \(place)-copy && mount -t tmpfs -o size=\(size) none \(place)-copy")
            try space.run("cp", "-a", drawer + "/.", place + "-copy")
            try space.run("mount", "--bind", place + "-copy", drawer)
            try plugIn()
        }

        func pull() throws { try space.run("umount", "--lazy", place) }

        /// Retries while the kernel refuses, because a file is open for writing.
        func setWritable(_ isWritable: Bool) {
            while (try? space.run("mount", "-o", "remount,bind,\(isWritable ? "rw" : "ro")", place)) == nil {}
        }

        /// Fills `kilobytes` of the stick.
        func fill(_ kilobytes: Int) throws {
            try space.run("dd", "if=/dev/zero", "of=\(drawer)/other", "bs=1k", "count=\(kilobytes)", "status=none")
        }

        /// Fills the rest of the stick.
        func fill() { try? fill(1 << 20) }

        func clear() throws { try space.run("rm", "\(drawer)/other") }

        /// The files on the stick.
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

        /// The content of the folder below the mount point.
        var underneath: [String] { get throws { try FileManager.default.subpathsOfDirectory(atPath: place) } }

        /// Starts without a ledger by default: its open file would keep the disk from becoming read-only.
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

        /// The output of the ledger command for the stick.
        func ledger(_ arguments: String...) async throws -> RunningCommand.Outcome {
            try await RunningCommand(["ledger", place] + arguments, in: folder, launcher: space.launcher).outcome()
        }
    }

    /// Checks that each slot is accounted for once, and that exactly the reported pictures exist, whole.
    private func expectAccounted(_ outcome: RunningCommand.Outcome, on stick: Stick, in folder: String = "") throws {
        let events = try outcome.events
        let slots = events.flatMap(\.accountedSlots).sorted()
        #expect(slots == Array(0..<slots.count))
        let names = events.filter { $0.name == "captured" }.compactMap { event -> String? in
            (event["file"] as String?).map { URL(fileURLWithPath: $0).lastPathComponent }
        }
        #expect(names == names.sorted())
        #expect(try stick.files.filter { $0.hasSuffix(".jpg") || $0.contains(".tmp") } == names.map { folder + $0 })
        for name in names { #expect(stick.bytes(folder + name).isJPEG, "\(name)") }
    }

    private func slots(_ lines: [Event]) -> [Int] { lines.flatMap(\.slots).sorted() }

    /// Checks that the ledger has a line for each slot, one series and one run, and matches the files.
    private func expectLedger(_ outcome: RunningCommand.Outcome, on stick: Stick) async throws {
        let verified = try await stick.ledger("--verify")
        #expect(verified.status == 0, "\(verified.text)\(verified.error)")
        let lines = try await stick.ledger("--json").events
        let events = try outcome.events
        #expect(slots(lines) == events.flatMap(\.accountedSlots).sorted())
        #expect(Set(lines.compactMap { $0["series"] as Int? }) == [1])
        #expect(Set(lines.compactMap { $0["run"] as Int? }) == [1])
    }

    /// Waits until so many slots have begun and were not missed. The last of them can still be missed.
    private func awaitBegun(_ count: Int, _ process: RunningCommand) async throws {
        var begun = Set<Int>()
        for await line in process.lines {
            let event = try Event(line)
            if event.name == "will-capture" { begun.formUnion(event.slots) }
            if event.name == "missed" { begun.subtract(event.slots) }
            if begun.count == count { return }
        }
        throw RunningCommand.Missing(event: "will-capture", error: "")
    }

    @Test("On a full disk the ledger waits with the pictures, and continues when there is room")
    func fullWithLedger() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "16M")
        let process = try stick.start(hasLedger: true)
        _ = try await process.event("captured")
        stick.fill()
        _ = try await process.event("storage-paused")
        for _ in 0..<3 { _ = try await process.event("will-capture") }
        try stick.clear()
        _ = try await process.event("storage-resumed")
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
        try await expectLedger(outcome, on: stick)
    }

    @Test(
        "The ledger of an unplugged stick continues later, and none is created below the mount point",
        arguments: ["64MB", "20kB"])
    func pulledWithLedger(hold: String) async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        let process = try stick.start("--hold", hold, hasLedger: true)
        _ = try await process.event("captured")
        try stick.pull()
        _ = try await process.event("storage-paused")
        // The smaller memory is used up.
        if hold == "20kB" { _ = try await process.event("failed") } else { try await awaitBegun(12, process) }
        #expect(try stick.underneath == [])
        try stick.plugInAnew()
        _ = try await process.event("storage-resumed")
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == (hold == "20kB" ? 74 : 0), "\(outcome.error)")
        #expect(try stick.underneath == [])
        try expectAccounted(outcome, on: stick)
        try await expectLedger(outcome, on: stick)
    }

    @Test(
        "The ledger continues after a file system failed and was mounted again",
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
        process.finish()
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

    @Test("On a full disk the pictures wait, and they are stored whole when there is room")
    func full() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "16M")
        // Room for about ten pictures.
        try stick.fill(16_260)
        let process = try stick.start()
        let paused = try await process.event("storage-paused")
        #expect(paused["held"] == 1)
        #expect(paused.object("error")?["message"] == "the disk is full")
        // A slot is captured only while at most two pictures are on their way, so at least three wait after five slots.
        try await awaitBegun(5, process)
        try stick.clear()
        let resumed = try await process.event("storage-resumed")
        #expect(resumed["stored"] ?? 0 >= 3)
        for _ in 0..<3 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
        #expect(try outcome.events.prefix { $0.name != "storage-resumed" }.count { $0.name == "storage-paused" } == 1)
    }

    @Test("If the series is stopped while the disk is full, each waiting picture is reported as failed")
    func fullToTheEnd() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "1M")
        try stick.fill(950)
        let process = try stick.start()
        _ = try await process.event("storage-paused")
        try await awaitBegun(3, process)
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 74)
        try expectAccounted(outcome, on: stick)
        #expect(try outcome.events.filter { $0.name == "failed" }.count >= 3)
    }

    @Test("A picture that does not fit in memory fails, and the oldest ones wait")
    func bound() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "1M")
        try stick.fill(1000)
        let process = try stick.start("--hold", "40kB")
        let paused = try await process.event("storage-paused")
        #expect(paused["held"] == 1)
        _ = try await process.event("failed")
        try stick.clear()
        let resumed = try await process.event("storage-resumed")
        #expect(resumed["stored"] == 3)
        process.finish()
        try expectAccounted(await process.outcome(), on: stick)
    }

    @Test("A series continues after its disk was read-only")
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
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        try expectAccounted(outcome, on: stick)
    }

    @Test(
        "A series writes nothing below the mount point of an unplugged stick, and resumes when it is back",
        arguments: ["", "day/"])
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
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try stick.underneath == [])
        try expectAccounted(outcome, on: stick, in: within)
    }

    @Test("A series whose disk is not mounted creates no file, and the error has advice")
    func notMounted() async throws {
        let command = try Command()
        let stick = try Stick(command.folder)
        try stick.pull()
        let outcome = try await stick.start("--mount", command.folder.path + "/stick", name: "p/%n.jpg").outcome()
        #expect(outcome.status == 73)
        #expect(outcome.error.contains("nothing is mounted there") && outcome.error.contains("mount it"))
        #expect(try stick.underneath == [])
        try stick.plugIn()
        let mounted = try stick.start("--mount", command.folder.path + "/stick", name: "p/%05n.jpg")
        for _ in 0..<2 { _ = try await mounted.event("captured") }
        mounted.finish()
        let stored = await mounted.outcome()
        #expect(stored.status == 0, "\(stored.error)")
        try expectAccounted(stored, on: stick, in: "p/")
    }

    @Test("The oldest pictures are removed to keep the requested space free")
    func keepFree() async throws {
        let command = try Command()
        let stick = try Stick(command.folder, size: "1M")
        let process = try stick.start("--keep-free", "900kB", "--on-limit", "prune")
        for _ in 0..<5 { _ = try await process.event("removed") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let free = try outcome.events.filter { $0.name == "storage" }.compactMap { $0["free_bytes"] as Int? }
        #expect(free.allSatisfy { $0 >= 900_000 } && !free.isEmpty)
        #expect(try stick.files.count >= 5)
    }
}

@Suite("Limits of a series", .timeLimit(.minutes(5)))
struct LimitTests {
    private static let series = [
        "timelapse", "--camera", "scene", "--width", "320", "--height", "240", "--framerate", "100", "--interval",
        "50ms", "-o", "%n.jpg", "--json",
    ]

    /// Without recovery the last slot waits for its frame, so there is a picture on a busy machine, too.
    private func run(
        _ command: borrowing Command, _ count: String, _ limits: String...
    ) async throws -> RunningCommand.Outcome {
        let line = Self.series + ["--count", count, "--recover", "off"] + limits
        return try await RunningCommand(line, in: command.folder).outcome()
    }

    @Test("A series ends at its limit with an error that has advice")
    func stop() async throws {
        let command = try Command()
        let outcome = try await run(command, "1000000", "--max-count", "3")
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("--max-count: the series has reached its limit of 3 pictures"))
        #expect(outcome.error.contains("--on-limit prune"))
        // Frames that were captured before the third picture was stored are stored, too: at most eight wait.
        #expect(try 3...11 ~= command.files().count)
    }

    @Test("A limit applies to all series in a ledger together")
    func earlierSeries() async throws {
        let command = try Command()
        var captured = 0
        for _ in 0..<3 {
            let outcome = try await run(command, "10", "--max-count", "3", "--on-limit", "prune")
            #expect(outcome.status == 0, "\(outcome.error)")
            // A busy machine may miss most of the slots.
            captured += try outcome.events.count { $0.name == "captured" }
            #expect(try command.files().count == min(3, captured) && captured > 0)
        }
    }

    @Test("Other files do not count as pictures of the series, even with the names of pictures")
    func foreign() async throws {
        let command = try Command()
        for number in 1...5 { try command.write("a user's", to: "\(number).jpg") }
        let process = try RunningCommand(
            Self.series + ["--max-count", "2", "--on-limit", "prune"], in: command.folder)
        for _ in 0..<3 { _ = try await process.event("removed") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.files().count == 7)
        for number in 1...5 { #expect(try command.bytes("\(number).jpg") == Data("a user's".utf8)) }
    }

    @Test("A policy without a limit is refused")
    func nothingToKeep() async throws {
        let command = try Command()
        let outcome = try await run(command, "1", "--on-limit", "prune")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("--on-limit: needs a limit"))
    }
}
