// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// Two series with an interval of one second, while the script `clock.sh` sets the wall clock and suspends the machine.
    @Suite("Series during clock changes and suspension")
    struct Clocks {
        static let series = ["clocks-plain", "clocks-aligned"]

        private typealias Event = CommandOutput.Event

        private func events(_ name: String, of series: String) async throws -> [Event] {
            try await CommandOutput.events(name, of: step(series))
        }

        /// For each picture and its predecessor: the time between their slots, minus the number of slots in seconds.
        private func jumps(_ pictures: [Event]) throws -> [Double] {
            try zip(pictures, pictures.dropFirst()).map { earlier, later in
                let (from, to) = (try #require(earlier.due), try #require(later.due))
                let slots = try #require(later.slot) - #require(earlier.slot)
                return to.timeIntervalSince(from) - Double(slots)
            }
        }

        /// A line of the file `changes`: the change, the exit status of its command, and its size in seconds.
        private struct Change {
            let name: String
            let status: String
            let seconds: Double
        }

        private func changes() async throws -> [Change] {
            let folder = try await LabRun.shared.value.folder
            let text = try String(decoding: Data(contentsOf: folder.appendingPathComponent("changes")), as: UTF8.self)
            return try text.split(separator: "\n").map { line in
                let words = line.split(separator: " ").map(String.init)
                try #require(words.count == 3, "\(line)")
                return Change(name: words[0], status: words[1], seconds: try #require(Double(words[2])))
            }
        }

        /// The size of a change in seconds.
        private func seconds(_ name: String) async throws -> Double {
            try #require(try await changes().first { $0.name == name }).seconds
        }

        @Test("The script sets the clock forward and back, and suspends the machine")
        func precondition() async throws {
            let changes = try await changes()
            #expect(changes.map(\.name) == ["forward", "back", "suspended"])
            #expect(changes.allSatisfy { $0.status == "0" })
            #expect(try await seconds("suspended") >= 3)
        }

        @Test(
            "Each slot is accounted for once, and the slots of the suspension are missed as overslept",
            arguments: series)
        func slots(name: String) async throws {
            let step = try await step(name)
            #expect(step.status == 0, "\(step.error)")
            let (captured, missed) = (try await events("captured", of: name), try await events("missed", of: name))
            let slots = (captured + missed).flatMap(\.slots).sorted()
            #expect(slots == Array(0..<slots.count))
            // The slot that is pending at the start of the suspension gets no frame, and the last slot a late picture.
            let longest = missed.filter { $0.reason == "overslept" }.map(\.slots.count).max() ?? 0
            #expect(try await longest >= Int(seconds("suspended")) - 2)
            // The emulated machine can be too slow for the scene's next frame, or for the encoder.
            #expect(Set(missed.map(\.reason)).isSubset(of: ["overslept", "no-frame", "backlog"]))
            #expect(try await events("failed", of: name).isEmpty)
            #expect(try step.files().count == captured.count)
        }

        @Test(
            "The slots of a plain series move by the step when the clock is set, and not by suspension"
        )
        func plain() async throws {
            let jumps = try jumps(await events("captured", of: "clocks-plain")).filter { abs($0) > 0.002 }
            try #require(jumps.count == 2, "\(jumps)")
            let steps = try await [seconds("forward"), seconds("back")]
            #expect(abs(jumps[0] - steps[0]) < 0.01 && abs(jumps[1] - steps[1]) < 0.01, "\(jumps)")
        }

        @Test("The slots of an aligned series stay at whole seconds when the clock is set")
        func aligned() async throws {
            let captured = try await events("captured", of: "clocks-aligned")
            for event in captured {
                let due = try #require(event.due).timeIntervalSince1970
                #expect(abs(due - due.rounded()) < 0.0005)
            }
            let jumps = try jumps(captured).filter { abs($0) > 0.002 }
            try #require(jumps.count == 2, "\(jumps)")
            // The slots move to the next multiple after the step: rounded down or up, depending on the time of the
            // step.
            for (jump, step) in zip(jumps, try await [seconds("forward"), seconds("back")]) {
                #expect([step.rounded(.down), step.rounded(.up)].contains { abs(jump - $0) < 0.002 }, "\(jumps)")
            }
        }

        @Test("The time of a picture is the time of its slot plus the reported offset", arguments: series)
        func moments(name: String) async throws {
            let differences = try await events("captured", of: name).map { event in
                let (due, offset) = (try #require(event.due), try #require(event.offsetMs))
                return event.at.timeIntervalSince(due) - offset / 1000
            }
            // Beside a step of the clock, one of the two times can be from before and the other from after: a slot gets the
            // nearest frame, which can be from before the step that moved the slot. A frame from before the suspension is
            // too old.
            let steps = try await changes().filter { $0.name != "suspended" }.flatMap { [$0.seconds, -$0.seconds] }
            let moved = differences.filter { abs($0) >= 0.01 }
            #expect(moved.count <= 3, "\(moved)")
            #expect(moved.allSatisfy { moved in steps.contains { abs(moved - $0) < 0.01 } }, "\(moved)")
        }

        @Test("The ledger agrees with the events and with the files", arguments: series)
        func ledger(name: String) async throws {
            try await expectLedger(of: name)
        }
    }
}
