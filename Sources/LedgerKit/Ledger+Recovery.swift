// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

extension Ledger {
    /// Adds the lines of pictures that a killed process stored without a line, and its removals that have none. A picture
    /// gets its line if its file has the planned content, and a removal if the file is gone. Call it before the position of
    /// the series is read. Blocks.
    ///
    /// - Returns: The number of lines that were added, usually 0.
    /// - Throws: `CaptureError` if there are such lines and the ledger cannot be written. They stay for the next call.
    @discardableResult
    package static func recover(_ path: String) throws(CaptureError) -> Int {
        let place = LedgerPlace(path)
        return try recoverLines(place) + recoverRemovals(place)
    }

    private static func recoverLines(_ place: LedgerPlace) throws(CaptureError) -> Int {
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

    private static func recoverRemovals(_ place: LedgerPlace) throws(CaptureError) -> Int {
        // On a disk that is away, all files are missing.
        guard PlannedRemovals.exist(beside: place), DeviceFiles.exists(place.baseFolder) else { return 0 }
        let file = try LedgerFile(
            place, SeriesDescription(template: "", interval: nil, schedule: ""), from: nil, start: .now(),
            after: LedgerState())
        // A file that may not be looked up is not known to be gone.
        let gone = PlannedRemovals.read(beside: place).filter { access($0.file, F_OK) != 0 && errno == ENOENT }
        let count = try file.complete(gone)
        PlannedRemovals.remove(beside: place)
        return count
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
