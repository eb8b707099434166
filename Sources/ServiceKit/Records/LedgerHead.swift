// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit

/// Reads the pictures of a ledger from new to old, in short steps. Every call blocks.
///
/// Each step opens the ledger again: a page of many series would need too many descriptors.
struct LedgerHead {
    let series: ServiceSeries
    /// The damage of the ledger in words; `nil` if it is sound.
    private(set) var fault: String?
    private let camera: String
    private let ledger: String
    private let folder: PictureFolder
    private let filter: LedgerFilter
    /// The pictures that were read, oldest first.
    private var stills: [StillRecord] = []
    /// The newest line that was not read; 0 if there is none.
    private var line = 0
    /// About the moment of that line, in nanoseconds since 1970.
    private var lineTime = Int64.max
    /// How many lines the next step looks at. It is smaller after damage, so that only the damaged line is left out.
    private var width = Self.mostWidth
    /// How many steps found damage that SQLite reports.
    private var failures = 0

    /// SQLite looks at this many lines in some milliseconds.
    private static let mostWidth = 16_384
    /// A ledger in which so many steps fail has more damage than one line, and is left.
    private static let mostFailures = 24
    /// Lines are in the order of their pictures, except that a late picture can follow a line for a missed slot.
    private static let slack: Int64 = 60 * 1_000_000_000

    /// - Parameters:
    ///   - line: The line before which the first picture is; `nil` for the end of the ledger.
    ///   - filter: Selects the pictures; its limit is that of a step.
    /// - Returns: `nil` if there is no ledger yet.
    init?(_ series: ServiceSeries, of camera: String, before line: Int?, _ filter: LedgerFilter) {
        guard let ledger = series.ledger, let folder = PictureFolder(of: series), DeviceFiles.exists(ledger) else {
            return nil
        }
        (self.series, self.camera, self.ledger, self.folder, self.filter) = (series, camera, ledger, folder, filter)
        do throws(CaptureError) {
            try goOn(before: line ?? .max, in: LedgerReader(ledger))
        } catch {
            fault = words(error)
        }
    }

    /// The newest picture that was read.
    var first: StillRecord? { stills.last }

    /// The moment of that picture; the lowest number if there is none.
    var time: Int64 { first?.still.captured.nanosecondsSince1970 ?? .min }

    /// A moment that is not before those of pictures that were not read yet.
    var bound: Int64 {
        let (sum, overflow) = lineTime.addingReportingOverflow(Self.slack)
        return overflow ? .max : sum
    }

    /// `true` if lines that were not read may have a picture after this moment.
    func mayBeNewer(than time: Int64) -> Bool { stills.isEmpty && line > 0 && bound > time }

    /// The line before which the next page begins; `nil` if there are no more pictures.
    var nextLine: Int? { first.map { $0.id.line + 1 } ?? (line > 0 ? line + 1 : nil) }

    mutating func take() -> StillRecord? { stills.popLast() }

    /// Reads the next lines. There may be no picture among them.
    ///
    /// - Throws: `CaptureError` only if the task is canceled.
    mutating func read() throws(CaptureError) {
        var (filter, found, lowest) = (filter, [StillRecord](), max(1, line - width + 1))
        filter.identifiers = lowest...line
        do throws(CaptureError) {
            let reader = try LedgerReader(ledger)
            var (numbers, damagedCount) = ([Int](), 0)
            let countDamaged = { (number: Int?) in
                damagedCount += 1
                if let number { numbers.append(number) }
            }
            try reader.eachSoundLine(filter, damaged: countDamaged) { line throws(CaptureError) in
                numbers.append(line.id)
                if let still = StillRecord(line, of: series.id, camera, in: folder) { found.append(still) }
            }
            if damagedCount > 0 { fault = "\(series.id): \(damagedCount) lines of the ledger are damaged" }
            // As many lines as the limit may be only the newest of those that the step was to look at.
            if numbers.count == filter.limit, let first = numbers.min() { lowest = first }
            (stills, width) = (found, Self.mostWidth)
            try goOn(before: lowest, in: reader)
        } catch {
            if Task.isCancelled { throw error }
            fail(error)
        }
    }

    /// Sets the next line: numbers may have gaps.
    private mutating func goOn(before number: Int, in reader: LedgerReader) throws(CaptureError) {
        line = try reader.newestLine(before: number) ?? 0
        guard line > 0 else { return }
        var filter = LedgerFilter()
        filter.identifiers = line...line
        var time: Int64?
        try? reader.eachSoundLine(filter) { line throws(CaptureError) in
            time = (line.still?.captured ?? line.entry.lastDue).nanosecondsSince1970
        }
        if let time { lineTime = time }
    }

    /// Looks at fewer lines next, and passes over a line that alone cannot be read.
    private mutating func fail(_ error: CaptureError) {
        fault = words(error)
        failures += 1
        if failures >= Self.mostFailures {
            line = 0
        } else if width > 1 {
            width = max(1, width / 4)
        } else {
            (line, width) = (line - 1, Self.mostWidth)
        }
    }

    /// Clients see no paths of this machine.
    private func words(_ error: CaptureError) -> String { "\(series.id): \(error.message)" }
}
