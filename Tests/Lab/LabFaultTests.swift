// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// Timelapses of three cameras, while the script `faults.sh` causes one fault after the other.
    @Suite("Faults of V4L2 cameras")
    struct Faults {
        /// A fault, and the error that the command reports for it. The times of loss and recovery are measurements: the
        /// table in `faults.txt` lists them, and no test checks them, since the machine is emulated.
        struct Expectation: Sendable, CustomTestStringConvertible {
            let name: String
            var message = "was unplugged, or its driver failed"

            var testDescription: String { name }
        }

        static let steps = ["faults-a", "faults-b", "faults-c", "faults-lock"]

        static let expectations = [
            Expectation(name: "fatal stream error"),
            Expectation(name: "error while controls are locked"),
            Expectation(name: "node disconnected"),
            Expectation(name: "unplugged, plugged in"),
            Expectation(name: "silent stall", message: "has delivered no frame for"),
            Expectation(name: "STREAMON fails at the start", message: "does not start streaming"),
            Expectation(name: "STREAMON fails at recovery", message: "does not start streaming"),
            Expectation(name: "busy, then free", message: "busy: another program uses it"),
            Expectation(name: "permission taken, given", message: "permission denied"),
            Expectation(name: "back on another node"),
            Expectation(name: "another camera on the node", message: "is another camera now"),
            Expectation(name: "format no longer offered", message: "does not offer 320 x 180"),
        ]

        private func accounts() async throws -> [FaultAccount] {
            let run = try await LabRun.shared.value
            return try FaultAccount.all(in: run.folder) { try CommandOutput.lines(of: run.step($0)) }
        }

        @Test(
            "A fault is reported with its cause, and the camera recovers", arguments: expectations
        )
        func recovers(expectation: Expectation) async throws {
            let accounts = try await accounts().filter { $0.record.name == expectation.name }
            #expect(!accounts.isEmpty)
            for account in accounts {
                #expect(account.found != nil && account.recovered != nil)
                #expect(account.messages.contains { $0.contains(expectation.message) }, "\(account.messages)")
            }
        }

        @Test("One failed buffer causes no missed slot", arguments: ["bad buffer", "failed qbuf"])
        func oneBuffer(name: String) async throws {
            let account = try #require(try await accounts().first { $0.record.name == name })
            #expect(account.found == nil)
            #expect(account.missed == 0)
        }

        @Test(
            "Files and events agree: each picture exists and is complete, and each slot occurs once", arguments: steps)
        func agrees(name: String) async throws {
            let step = try await step(name)
            #expect(step.status == 0, "\(step.error)")
            let events = try CommandOutput.lines(of: step, as: CommandOutput.Event.self)
            let captured = events.filter { $0.event == "captured" }
            #expect(try step.files() == captured.compactMap(\.file).sorted())
            for file in captured.compactMap(\.file) { #expect(try await Picture(jpeg: step.file(file)).width == 320) }

            let account = try #require(events.last?.summary)
            let missed = events.filter { $0.event == "missed" }
            #expect(account.captured == captured.count)
            #expect(account.missed == missed.compactMap(\.count).reduce(0, +))
            #expect(account.failed == 0)
            let slots = (captured + missed).flatMap(\.slots)
            #expect(slots.sorted() == Array(0..<slots.count))
        }

        @Test("The ledger matches the events, and its pictures are unchanged", arguments: steps)
        func ledger(name: String) async throws {
            try await expectLedger(of: name)
        }

        @Test("Many faults use as many threads and descriptors as ten, and no more memory")
        func level() async throws {
            let text = try await String(
                decoding: Data(contentsOf: LabRun.shared.value.folder.appendingPathComponent("levels")), as: UTF8.self)
            let levels = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
            let (early, late) = (try #require(levels.first), try #require(levels.last))
            try #require(levels.allSatisfy { $0.count == 4 })
            // The script makes 20 faults unless FAULT_ROUNDS says more, and adds a line after each 10.
            #expect(late[0] >= 20)
            #expect(levels.map { $0[0] } == Array(stride(from: 10, through: late[0], by: 10)))
            // The numbers of threads and of buffers in flight vary: by less than one for 10 and for 5 faults.
            let faults = late[0] - early[0]
            #expect(late[1] <= early[1] + faults / 10, "threads: \(text)")
            #expect(late[2] <= early[2] + faults / 5, "descriptors: \(text)")
            #expect(late[3] <= early[3] + 8 * 1024, "kilobytes: \(text)")
        }

        @Test(
            "A process that runs out of descriptors ends in time with status 71, and loses no picture"
        )
        func descriptors() async throws {
            let ended = try await step("descriptors")
            #expect(ended.status == 71, "\(ended.error)")
            #expect(ended.error.contains("of 60 descriptors are left: GStreamer holds "))
            let events = try CommandOutput.lines(of: ended, as: CommandOutput.Event.self)
            let captured = events.filter { $0.event == "captured" }
            #expect(!captured.isEmpty && events.last?.event == "finished")
            #expect(try ended.files() == captured.compactMap(\.file).sorted())
            let verified = try await step("descriptors-verify")
            #expect(verified.status == 0, "\(verified.output)\(verified.error)")
        }

        @Test("The table of faults is written")
        func table() async throws {
            let run = try await LabRun.shared.value
            let lines = [FaultAccount.header] + (try await accounts()).map(\.description)
            let levels = try Data(contentsOf: run.folder.appendingPathComponent("levels"))
            let text = lines.joined(separator: "\n") + "\n\nfaults, threads, descriptors, kB\n"
            try (Data(text.utf8) + levels).write(to: run.folder.appendingPathComponent("faults.txt"))
            print(text + String(decoding: levels, as: UTF8.self))
        }
    }
}
