// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import Testing

@Suite("Records of a ledger", .timeLimit(.minutes(2)))
struct LedgerRecordTests {
    @Test(
        "A text that a spreadsheet would run as a formula is text in CSV, and unchanged in JSON",
        arguments: ["=HYPERLINK(\"http://x\",\"y\")", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
    func formula(text: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/formula.ledger"
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        try await ledger.append([.picture(0, folder.path + "/1.jpg"), .failed(1, text)])
        await ledger.close(.completed)
        var records: [LedgerRecord] = []
        try LedgerReader(path).eachLine { line throws(CaptureError) in records.append(LedgerRecord(line, of: path)) }
        let csv = try #require(records.last?.csv)
        let quoted = "'" + text.replacing("\"", with: "\"\"")
        #expect(csv.contains(",\(quoted),") || csv.contains(",\"\(quoted)\","))
        #expect(records.last?.members(["message"]).first?.value == .string(text))
        // Numbers stay numbers.
        #expect(records.first?.csv.contains(",-2.5,") == true)
    }
}
