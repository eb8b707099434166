// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LedgerKit
import StillKit

/// The pictures of a series, as its ledger has them. No picture is opened.
///
/// The index has a cursor: the last line and the last removal that it knows. Reading resumes there, also after a restart,
/// and in an index that another process filled.
package struct LedgerSource: Sendable, Hashable {
    /// The path of the ledger.
    package let ledger: String
    /// The ID of the series.
    package let series: String
    /// The ID of its camera; `nil` if it is unknown.
    package let camera: String?
    /// The absolute path of the folder below which the pictures are; `nil` for that of the ledger.
    private let folder: String?

    package init(ledger: String, series: String, camera: String?, folder: String? = nil) {
        (self.ledger, self.series, self.camera, self.folder) = (ledger, series, camera, folder)
    }

    /// A transaction has the pictures of so many lines. Between two of them, other processes change the index.
    static let batch = 5000

    /// Adds the new lines and removals to an index. Blocks.
    ///
    /// - Parameter progress: Receives the number of the last line that was read, and of the last line of the ledger.
    /// - Throws: `CaptureError` if the ledger or the index cannot be read, or the task is canceled. The lines before that
    ///   are in the index.
    package func catchUp(
        _ index: LibraryIndex, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> LibraryChanges {
        guard let (reader, identity) = try Self.open(ledger) else { return LibraryChanges() }
        var (changes, cursor) = (LibraryChanges(), try begin(reader, index, identity))
        // Removals first: a line that is read later has its removal.
        try remove(reader, index, &cursor, &changes)
        let last = try reader.newestLine() ?? 0
        while let first = try reader.oldestLine(from: cursor.line + 1), first <= last {
            try add(reader, first...min(last, first + Self.batch - 1), index, &cursor, &changes)
            progress(cursor.line, last)
        }
        return changes
    }

    /// Returns the reader of a ledger with its identity; `nil` if the ledger has no run, is missing, or is empty, as that of a
    /// series that begins.
    static func open(_ ledger: String) throws(CaptureError) -> (LedgerReader, identity: String)? {
        do throws(CaptureError) {
            let reader = try LedgerReader(ledger)
            return try reader.identity().map { (reader, $0) }
        } catch {
            guard error.code == .noInput else { throw error }
            return nil
        }
    }

    /// Returns the cursor. If another ledger is at the path, or an older copy of it, or the series has another name, it
    /// begins from nothing.
    private func begin(
        _ reader: LedgerReader, _ index: LibraryIndex, _ identity: String
    ) throws(CaptureError) -> SourceCursor {
        if let cursor = try index.cursor(of: ledger), try isOf(cursor, identity, reader) { return cursor }
        return try index.write { writer in
            var cursor = try writer.cursor(of: ledger, identity: identity)
            guard try !isOf(cursor, identity, reader) else { return cursor }
            // A new account has no items, and finding that out reads all of them.
            if cursor.line > 0 || cursor.removal > 0 { try writer.removeItems(of: cursor.number, kind: .still) }
            (cursor.identity, cursor.line, cursor.removal) = (identity, 0, 0)
            (cursor.series, cursor.camera, cursor.damagedCount) = (series, camera, 0)
            try writer.move(cursor)
            return cursor
        }
    }

    /// The ledger is read after the cursor: meanwhile it may only have grown.
    private func isOf(
        _ cursor: SourceCursor, _ identity: String, _ reader: LedgerReader
    ) throws(CaptureError) -> Bool {
        guard cursor.identity == identity, cursor.series == series, cursor.camera == camera else { return false }
        return try cursor.line <= reader.newestLine() ?? 0
    }

    private func add(
        _ reader: LedgerReader, _ lines: ClosedRange<Int>, _ index: LibraryIndex, _ cursor: inout SourceCursor,
        _ changes: inout LibraryChanges
    ) throws(CaptureError) {
        var reading = LedgerReading()
        try read(reader, lines, index.board, &reading)
        cursor.line = lines.upperBound
        cursor.damagedCount += reading.damagedCount
        let (moved, pictures) = (cursor, reading.pictures)
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for (item, place) in pictures
                where try writer.put(item, at: [place], source: moved.number) { changes.addPut(item.id) }
                try writer.move(moved)
                return changes
            })
    }

    /// The pictures of some lines, and the damage.
    private struct LedgerReading {
        var pictures: [(item: LibraryItem, place: ItemPlace)] = []
        var damagedCount = 0
        /// How many times a range was divided.
        var divisions = 0

        /// A ledger with more damage is not read at all.
        static let mostDivisions = 200
    }

    /// Reads lines. A damaged one must not keep the others from the index: a range with damage is divided, down to the
    /// line.
    private func read(
        _ reader: LedgerReader, _ lines: ClosedRange<Int>, _ board: BoardName, _ reading: inout LedgerReading
    ) throws(CaptureError) {
        var (filter, part) = (LedgerFilter(), reading)
        (filter.identifiers, filter.areStored) = (lines, true)
        let countDamaged = { (_: Int?) in part.damagedCount += 1 }
        do throws(CaptureError) {
            try reader.eachSoundLine(filter, damaged: countDamaged) { line throws(CaptureError) in
                if let found = item(line, board, folder ?? reader.folder) { part.pictures.append(found) }
            }
            reading = part
        } catch {
            guard error.isOfDamage, !Task.isCancelled, reading.divisions < LedgerReading.mostDivisions else {
                throw error
            }
            guard lines.count > 1 else {
                reading.damagedCount += 1
                return
            }
            reading.divisions += 1
            let middle = lines.lowerBound + lines.count / 2
            try read(reader, lines.lowerBound...middle - 1, board, &reading)
            try read(reader, middle...lines.upperBound, board, &reading)
        }
    }

    private func remove(
        _ reader: LedgerReader, _ index: LibraryIndex, _ cursor: inout SourceCursor, _ changes: inout LibraryChanges
    ) throws(CaptureError) {
        while true {
            let (lines, last) = try reader.removals(after: cursor.removal, most: Self.batch)
            guard last > cursor.removal else { return }
            cursor.removal = last
            let moved = cursor
            changes.add(
                try index.write { writer in
                    var changes = LibraryChanges()
                    for line in lines where line <= moved.line {
                        let id = ItemID(index.board, .series(series, line: line))
                        if try writer.remove(id, below: folder ?? reader.folder) { changes.addRemoved(id) }
                    }
                    try writer.move(moved)
                    return changes
                })
        }
    }

    /// Returns the item of a line; `nil` if it has no picture below the folder of the ledger. A ledger is a file that other
    /// programs can write: it must not make the library read or copy other files.
    private func item(
        _ line: LedgerReader.Line, _ board: BoardName, _ folder: String
    ) -> (LibraryItem, ItemPlace)? {
        let id = ItemID(board, .series(series, line: line.id))
        guard let still = line.still, let file = still.file, file.hasPrefix(folder == "/" ? folder : folder + "/"),
            file == LedgerPlace.absolute(file), StillFormat(fileName: file) != nil, ItemID(id.description) == id
        else { return nil }
        let place = ItemPlace(path: file)
        var facts = ItemFacts(.still, taken: still.captured, byteCount: still.byteCount, fileName: place.name)
        (facts.width, facts.height, facts.sha256) = (still.width, still.height, still.sha256)
        (facts.camera, facts.series) = (camera, series)
        (facts.brightness, facts.sharpness) = (still.brightness, still.sharpness)
        return (LibraryItem(id: id, facts: facts), place)
    }
}

extension CaptureError {
    /// `true` if bytes of a ledger are damaged. An error of the disk, or of access, can end by itself.
    fileprivate var isOfDamage: Bool { code == .inputOutput && systemError == nil }
}
#endif
