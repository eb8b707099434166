// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// Two series of a picture a second, while the script `clock.sh` sets the wall clock and suspends the machine.
    @Suite("Series through steps of the clock and suspension")
    struct Clocks {
        static let series = ["clocks-plain", "clocks-aligned"]

        private typealias Event = CommandOutput.Event

        private func events(_ name: String, of series: String) async throws -> [Event] {
            try await CommandOutput.events(name, of: step(series))
        }

        /// By how much the time between two slots differs from so many seconds, for each picture and the one before it.
        private func jumps(_ pictures: [Event]) throws -> [Double] {
            try zip(pictures, pictures.dropFirst()).map { earlier, later in
                let (from, to) = (try #require(earlier.due), try #require(later.due))
                let slots = try #require(later.slot) - #require(earlier.slot)
                return to.timeIntervalSince(from) - Double(slots)
            }
        }

        @Test("The clock was set, and the machine slept, or this shows nothing")
        func changes() async throws {
            let folder = try await LabRun.shared.value.folder
            let text = try String(decoding: Data(contentsOf: folder.appendingPathComponent("changes")), as: UTF8.self)
            #expect(text == "forward 0\nback 0\nsuspended 0\n")
        }

        @Test("Each slot is accounted for once; only what was slept through is missed", arguments: series)
        func slots(name: String) async throws {
            let step = try await step(name)
            #expect(step.status == 0, "\(step.error)")
            let (captured, missed) = (try await events("captured", of: name), try await events("missed", of: name))
            let slots = (captured + missed).flatMap(\.slots).sorted()
            #expect(slots == Array(0..<slots.count))
            // The last slot that was slept through is met late. A busy machine may oversleep, too.
            #expect(Set(missed.map(\.reason)) == ["overslept"])
            #expect((2...15).contains(missed.flatMap(\.slots).count))
            #expect(try await events("failed", of: name).isEmpty)
            #expect(try step.files().count == captured.count)
        }

        @Test(
            "Slots of a plain series move with the clock: the time between two pictures stays, and they do by suspension"
        )
        func plain() async throws {
            let jumps = try jumps(await events("captured", of: "clocks-plain")).filter { abs($0) > 0.002 }
            try #require(jumps.count == 2, "\(jumps)")
            // The step was made a moment after the clock was read for it.
            #expect(abs(jumps[0] - 90.4) < 0.5 && abs(jumps[1] + 93.1) < 0.5)
        }

        @Test("Slots of an aligned series are at whole seconds of the clock, whoever sets it")
        func aligned() async throws {
            let captured = try await events("captured", of: "clocks-aligned")
            for event in captured {
                let due = try #require(event.due).timeIntervalSince1970
                #expect(abs(due - due.rounded()) < 0.0005)
            }
            // To the next multiple, in both directions.
            let jumps = try jumps(captured).filter { abs($0) > 0.002 }
            try #require(jumps.count == 2, "\(jumps)")
            #expect((90...92).contains(jumps[0]) && (-93.1...(-91)).contains(jumps[1]))
        }

        @Test("A picture is told to be of the moment that the clock showed", arguments: series)
        func moments(name: String) async throws {
            let differences = try await events("captured", of: name).map { event in
                let (due, offset) = (try #require(event.due), try #require(event.offsetMs))
                return event.at.timeIntervalSince(due) - offset / 1000
            }
            // Of a picture in hand while the clock is set, the slot is of the time before.
            let set = differences.filter { abs($0) >= 0.01 }
            #expect(set.count <= 2 && set.allSatisfy { abs($0 - 90.4) < 0.5 || abs($0 + 93.1) < 0.5 }, "\(set)")
        }

        @Test("The ledger has what the events told, and its pictures are as they were", arguments: series)
        func ledger(name: String) async throws {
            try await expectLedger(of: name)
        }
    }
}
