// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import LedgerKit

/// Reads the lines of a series' ledger in short steps, so that a slow client never keeps a ledger from being written.
/// Lines that are written after the first step are left out.
public struct LedgerPages: Sendable {
    /// The format of a line.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// A JSON object a line.
        case jsonl
        /// Comma-separated values (RFC 4180), with a first line of names.
        case csv
    }

    private let series: ServiceSeries
    private let ledger: String
    private let format: Format
    private let filter: LedgerFilter
    /// The first line that was not read, and the last line.
    private var (line, last): (Int, Int)

    private static let linesInStep = 500

    /// Opens the ledger of a series. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if the series has no ledger yet; an error if it is damaged.
    public init(_ series: ServiceSeries, _ format: Format, _ filter: LedgerFilter) throws(CaptureError) {
        let ledger = try series.existingLedger
        (self.series, self.ledger, self.format, self.filter) = (series, ledger, format, filter)
        (line, last) = (1, try LedgerReader(ledger).newestLine() ?? 0)
    }

    /// The text before the first line.
    public var head: String { format == .csv ? LedgerRecord.head(Self.names) : "" }

    /// Returns the next lines as text, which may be empty; `nil` after the last. Blocks.
    public mutating func next() throws(CaptureError) -> String? {
        let reader = try LedgerReader(ledger)
        // Numbers may have gaps.
        guard line <= last, let first = try reader.oldestLine(from: line), first <= last else { return nil }
        var (filter, text) = (filter, "")
        filter.identifiers = first...min(last, first + Self.linesInStep - 1)
        line = first + Self.linesInStep
        try reader.eachLine(filter) { line throws(CaptureError) in
            let record = LedgerRecord(line, of: ledger)
            // Clients name pictures by ID; paths are of this machine alone.
            let id = line.still?.file == nil ? nil : StillID(series: series.id, line: line.id).description
            let members =
                [JSONValue.Member(name: "still", value: .optional(id))] + record.members(Self.names.dropFirst())
            text += format == .csv ? LedgerRecord.csv(members) : JSONValue.object(members).text + "\n"
        }
        return text
    }

    private static let names =
        ["still"] + LedgerRecord.names.filter { !["file", "ledger", "check", "series"].contains($0) }
}

extension ServiceSeries {
    /// The path of the ledger.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none yet.
    var existingLedger: String {
        get throws(CaptureError) {
            guard let ledger, DeviceFiles.exists(ledger) else {
                throw CaptureError(.noInput, "has no ledger yet", subject: id)
            }
            return ledger
        }
    }

    /// Draws the lines of the ledger that a filter selects, as SVG. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no ledger yet, or no such line; an error if it is damaged.
    package func plot(_ filter: LedgerFilter) throws(CaptureError) -> String {
        do throws(CaptureError) {
            return try LedgerPlot(try LedgerReader(try existingLedger), filter, title: id).svg
        } catch {
            // Paths are of this machine alone.
            throw error.code == .noInput ? CaptureError(.noInput, error.message, subject: id) : error
        }
    }
}
