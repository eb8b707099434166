// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import ScheduleKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of a line` {
    @Test func `The example of the article runs`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/garden.ledger"
        let series = SeriesDescription(template: "garden/%05n.jpg", interval: .seconds(10), schedule: "every 10s")
        let ledger = Ledger(path, series: series)
        try await ledger.open()
        let due = WallTime.now()
        ledger.begin(at: due)
        let lost = LedgerEntry.Outcome.missed(reason: MissReason.lost.rawValue)
        try await ledger.append([LedgerEntry(slots: 0...0, cause: .schedule, due: due, lastDue: due, outcome: lost)])
        await ledger.close(.completed)

        let reader = try LedgerReader(path)
        try reader.eachLine { line in print(line.entry.slots, line.entry.outcome) }
        #expect(try reader.totals().missedCount == 1)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfALine", in: "LedgerKit", missingIn: #filePath) == [])
    }
}
