// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// A series on a disk that loses all unsynced writes, at random moments without an event.
    @Suite("A series through power cuts")
    struct Power {
        private func text(_ name: String) async throws -> String {
            let step = try await step("power-cuts")
            return try String(decoding: Data(contentsOf: step.file(name)), as: UTF8.self)
        }

        private func lines(_ name: String) async throws -> [String] {
            try await text(name).split(separator: "\n").map(String.init)
        }

        @Test("The disk of these tests really loses unsynced writes")
        func losesWrites() async throws {
            let step = try await step("power-cuts")
            #expect(step.status == 0, "\(step.error)")
            #expect(try await lines("unsynced").count >= 3)
        }

        @Test("Every reported picture is in the ledger, and its file matches")
        func toldIsKept() async throws {
            let reported = try await lines("told-files")
            #expect(reported.count >= 5)
            #expect(try await Set(reported).isSubset(of: lines("ledger-files")))
            #expect(try await lines("verified") == ["0"])
            #expect(try await lines("damaged").isEmpty)
        }

        @Test("A clip is repaired after a power cut, and lacks its last two seconds at most")
        func clips() async throws {
            let clips = try await lines("clips").map { $0.split(separator: " ").compactMap { Int($0) } }
            #expect(clips.count >= 3)
            for clip in clips {
                try #require(clip.count == 3)
                let lost = clip[0] * 10 - clip[1]
                // The first picture comes up to 0.2 s before the script sees it.
                #expect(clip[2] == 0 && lost <= 2000, "\(lost) ms are lost")
            }
        }

        @Test("No number repeats, and every slot is accounted for")
        func noGaps() async throws {
            let files = try await lines("ledger-files")
            #expect(Set(files).count == files.count)
            let runs: [CommandOutput.LedgerEntry] = try await CommandOutput.lines(in: text("ledger.json"))
            #expect(Set(runs.map(\.series)) == [1])
            var next = 0
            for run in runs.sorted(by: { $0.slot < $1.slot }) {
                #expect(run.slot == next)
                next = run.lastSlot + 1
            }
        }
    }
}
