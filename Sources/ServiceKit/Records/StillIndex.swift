// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import LedgerKit
import StillKit

/// Finds the ID of a picture that a series has just stored: the number of its line in the ledger.
actor StillIndex {
    private let executor = BlockingExecutor("gst-capture.still-index")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let series: ServiceSeries

    /// Only the newest lines are searched.
    private static let mostLines = 64

    init(_ series: ServiceSeries) { self.series = series }

    /// Returns the ID of a picture; `nil` if its line is pending because the ledger cannot be written.
    func id(of still: Still) -> String? {
        guard let ledger = series.ledger, let path = still.path, let reader = try? LedgerReader(ledger) else {
            return nil
        }
        var filter = LedgerFilter()
        (filter.outcomes, filter.limit) = ([.captured], Self.mostLines)
        var id: String?
        let relative = LedgerPlace(ledger).relative(path)
        try? reader.eachSoundLine(filter) { line throws(CaptureError) in
            guard let file = line.still?.file, LedgerPlace(ledger).relative(file) == relative else { return }
            id = StillID(series: series.id, line: line.id).description
        }
        return id
    }
}

/// The ID of a picture of a series: `minute-1204`.
public struct StillID: Sendable, Hashable, CustomStringConvertible {
    /// The ID of the series.
    public let series: String
    /// The number of the picture's line in the ledger, from 1.
    public let line: Int

    init(series: String, line: Int) { (self.series, self.line) = (series, line) }

    /// Reads an ID; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 128, let dash = text.lastIndex(of: "-") else { return nil }
        let digits = text[text.index(after: dash)...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit), let line = Int(digits), line > 0,
            digits.first != "0", dash != text.startIndex
        else { return nil }
        let series = text[..<dash]
        guard series.utf8.allSatisfy({ $0.isWordCharacter || $0 == UInt8(ascii: "-") }) else { return nil }
        self.init(series: String(series), line: line)
    }

    /// The ID, as in URLs.
    public var description: String { "\(series)-\(line)" }
}

extension ServiceSeries {
    /// The path of the ledger; `nil` if the series has none.
    package var ledger: String? {
        settings.ledger ?? settings.output.flatMap { try? FileNameTemplate(parsing: $0) }.map(Ledger.standardPath(for:))
    }
}
