// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension Ledger {
    /// Adds the lines of pictures that a killed process stored without a line. A picture gets its line if its file has
    /// the planned content. Call it before the position of the series is read. Blocks.
    ///
    /// - Returns: The number of lines that were added, usually 0.
    /// - Throws: `CaptureError` if there are such lines and the ledger cannot be written. They stay for the next call.
    @discardableResult
    package static func recover(_ path: String) throws(CaptureError) -> Int {
        let place = LedgerPlace(path)
        guard let (run, entries) = PlannedLines.read(beside: place) else { return 0 }
        // From here on, the lock of the ledger excludes the process that planned the lines.
        let file = try LedgerFile(
            place, run.description, from: run.position, start: run.start, after: LedgerState(), process: run.process)
        var lines: [LedgerLine] = []
        for entry in entries where entry.isInPlace {
            if try !file.contains(entry) { lines.append(.slot(entry)) }
        }
        if !lines.isEmpty { try file.add(lines, anchor: run.anchor) }
        PlannedLines.remove(beside: place)
        return lines.count
    }
}

extension LedgerEntry {
    /// `true` if the file of the picture has the content that this line describes.
    fileprivate var isInPlace: Bool {
        guard case .captured(let still) = outcome, let file = still.file,
            let found = try? FileDigest(file, most: still.byteCount)
        else { return false }
        return found.byteCount == still.byteCount && found.sha256 == still.sha256
    }
}
