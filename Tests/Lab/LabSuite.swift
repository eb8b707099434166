// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

/// Tests on V4L2 cameras in a virtual machine; see `camera-lab` beside this file.
@Suite(
    "Camera lab",
    .enabled(if: LabRequirements.obstacle == nil, "\(LabRequirements.obstacle ?? "")"),
    .timeLimit(.minutes(120))
)
enum LabSuite {
    /// The result of a step, from the one run that all tests share.
    static func step(_ name: String) async throws -> LabStep {
        try await LabRun.shared.value.step(name)
    }

    /// Checks that the ledger of a timelapse matches its events, and that its pictures are unchanged.
    static func expectLedger(of name: String) async throws {
        let verified = try await step("\(name)-verify")
        #expect(verified.status == 0, "\(verified.output)\(verified.error)")
        let entries: [CommandOutput.LedgerEntry] = try await CommandOutput.lines(of: step("\(name)-ledger"))
        for outcome in ["captured", "missed"] {
            let reported = try await CommandOutput.events(outcome, of: step(name)).flatMap(\.slots)
            #expect(entries.filter { $0.outcome == outcome }.flatMap(\.slots).sorted() == reported.sorted())
        }
    }
}
