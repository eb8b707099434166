// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit

/// Prints a ledger: lines for people or for programs, and totals. As in ``LedgerRow``, control characters of the ledger
/// do not reach the terminal.
struct LedgerReport {
    /// The format of the output.
    enum Format {
        case table, json, csv
    }

    /// The number of lines in a table: as many as fit on a screen.
    static let shownLines = 20

    private let reader: LedgerReader
    private let format: Format
    private let filter: LedgerFilter
    private let output = StandardStream.output
    private let terminal = Terminal(.output)

    init(_ reader: LedgerReader, _ format: Format, _ filter: LedgerFilter) {
        (self.reader, self.format, self.filter) = (reader, format, filter)
    }

    /// Prints the path of the ledger, which tells several ledgers apart.
    func printTitle() {
        if format == .table { output.line(terminal.styled(reader.path, .bold)) }
    }

    /// Prints the lines that the filter selects and, in a table, their totals.
    func show() throws(CaptureError) {
        let series = format == .table ? try reader.series() : []
        var shown: Int?
        try reader.eachLine(filter) { line throws(CaptureError) in
            if format == .table, shown != line.series {
                shown = line.series
                printSeries(series.first { $0.id == line.series })
            }
            printLine(line)
        }
        if format == .table { try printTotals() }
    }

    /// Reads the pictures, and reports those that fail the check; JSON and CSV have a line for each picture.
    ///
    /// - Returns: `false` if a picture is missing, has changed or cannot be read.
    func verify() throws(CaptureError) -> Bool {
        var counts: [String: Int] = [:]
        try reader.eachLine(filter) { line throws(CaptureError) in
            let check = line.check()
            counts[check.word, default: 0] += 1
            guard check != .none else { return }
            if format != .table { printLine(line, check) } else if check != .good { printBad(line, check) }
        }
        let bad = counts.filter { !["good", "none"].contains($0.key) }
        if format == .table { output.line(Self.verdict(counts["good"] ?? 0, bad)) }
        return bad.isEmpty
    }

    /// Prints the totals of the whole ledger on one line.
    func printWhole() throws(CaptureError) { output.line("    " + (try reader.totals().sentence)) }

    // MARK: Lines

    private func printLine(_ line: LedgerReader.Line, _ check: LedgerCheck? = nil) {
        switch format {
        case .table: output.line(LedgerRow(line, below: reader.folder).text(for: terminal))
        case .json: output.line(LedgerRecord(line, of: reader.path, check).json.text)
        case .csv: output.write(LedgerRecord(line, of: reader.path, check).csv)
        }
    }

    private func printSeries(_ series: LedgerSeries?) {
        guard let series else { return }
        let text = "\(series.description.template), \(series.description.schedule)".withoutControls
        output.line(terminal.styled("\(text); begun \(LedgerRow.moment(series.anchor))", .bold))
    }

    private func printBad(_ line: LedgerReader.Line, _ check: LedgerCheck) {
        guard case .captured(let still) = line.entry.outcome else { return }
        output.line(terminal.styled(check.word, .red) + "  " + (still.file ?? "").withoutControls)
    }

    private func printTotals() throws(CaptureError) {
        // The limit only fits the lines on a screen; the totals are of all matching lines.
        var all = filter
        all.limit = nil
        let totals = try reader.totals(all)
        output.line(terminal.styled(totals.sentence, .bold))
    }

    private static func verdict(_ good: Int, _ bad: [String: Int]) -> String {
        let parts = bad.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return (["\(Wording.count(good, "picture")) as \(good == 1 ? "it was" : "they were")"] + parts).joined(
            separator: ", ")
    }
}
