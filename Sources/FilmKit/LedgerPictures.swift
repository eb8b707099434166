// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit

/// The pictures of a ledger by the numbers of their lines, for films that grow. Every call blocks.
package struct LedgerPictures: Sendable {
    /// A line with a picture.
    package struct Line: Sendable {
        package let number: Int
        /// When the picture was captured.
        package let captured: WallTime
        /// The picture, or the reason why it cannot be shown.
        package let picture: Result<FilmPicture, SkippedPicture>
    }

    /// The path of the ledger.
    private let path: String

    package init(_ path: String) { self.path = path }

    /// The most lines that one call reads.
    private static let most = 256

    /// Returns pictures after a line, and the number up to which lines were read: the same one if there are no further lines,
    /// or no ledger yet.
    package func lines(after line: Int) throws(CaptureError) -> (lines: [Line], last: Int) {
        guard let reader = try reader() else { return ([], line) }
        let newest = try reader.newestLine() ?? 0
        guard newest > line else { return ([], line) }
        var filter = LedgerFilter()
        let last = min(newest, line + Self.most)
        (filter.identifiers, filter.areStored) = (line + 1...last, true)
        var lines: [Line] = []
        let base = LedgerPlace.folder(reader.folder)
        try reader.eachSoundLine(filter) { line in
            guard let still = line.still, let picture = FilmPicture.result(of: line, base: base, root: reader.folder)
            else { return }
            lines.append(Line(number: line.id, captured: still.captured, picture: picture))
        }
        return (lines, last)
    }

    /// Returns the number of the last line before the first slot that was due at a time or later.
    package func lastLine(before time: WallTime) throws(CaptureError) -> Int {
        guard let reader = try reader() else { return 0 }
        var filter = LedgerFilter()
        filter.since = time
        var first: Int?
        try reader.eachSoundLine(filter) { line in first = first ?? line.id }
        if let first { return first - 1 }
        return try reader.newestLine() ?? 0
    }

    /// Returns the brightness of the last pictures up to a line, the oldest first, also of those that were removed since.
    package func brightness(upTo line: Int, most: Int) throws(CaptureError) -> [Double?] {
        guard let reader = try reader(), line > 0 else { return [] }
        var filter = LedgerFilter()
        (filter.identifiers, filter.outcomes, filter.limit) = (1...line, [.captured], most)
        var values: [Double?] = []
        try reader.eachSoundLine(filter) { line in
            if let still = line.still { values.append(still.brightness.flatMap { (0...1).contains($0) ? $0 : nil }) }
        }
        return values
    }

    /// Returns a text that distinguishes this ledger from others at the same path; `nil` before its first run.
    package func identity() throws(CaptureError) -> String? { try reader()?.identity() }

    /// Returns a reader; `nil` if there is no ledger yet.
    private func reader() throws(CaptureError) -> LedgerReader? {
        guard DeviceFiles.exists(path) else { return nil }
        do throws(CaptureError) {
            return try LedgerReader(path)
        } catch  where error.code == .noInput {
            // A capture has created the file, and not its tables yet.
            return nil
        }
    }
}
