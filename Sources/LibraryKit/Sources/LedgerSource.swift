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
    package private(set) var series: String
    /// The ID of its camera; `nil` if it is unknown.
    package private(set) var camera: String?
    /// The absolute path of the folder below which the pictures are; `nil` for that of the ledger.
    private let folder: String?
    /// `true` if a configuration names the series and its camera; `false` if the names that the index has are better.
    private let isNamed: Bool

    /// Creates the source of a series that a configuration names.
    package init(ledger: String, series: String, camera: String?, folder: String? = nil) {
        (self.ledger, self.series, self.camera, self.folder, isNamed) = (ledger, series, camera, folder, true)
    }

    /// Creates the source of a ledger that no configuration has named yet.
    init(unnamed ledger: String, series: String) {
        (self.ledger, self.series, camera, folder, isNamed) = (ledger, series, nil, nil, false)
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
        return try catchUp(reader, identity, index, progress: progress)
    }

    /// Adds the new lines and removals of an open ledger to an index.
    func catchUp(
        _ reader: LedgerReader, _ identity: String, _ index: LibraryIndex, progress: (Int, Int) -> Void
    ) throws(CaptureError) -> LibraryChanges {
        var changes = LibraryChanges()
        while true {
            let (source, cursor) = try begin(reader, index, identity)
            if try source.read(reader, from: cursor, index, &changes, progress) { return changes }
        }
    }

    /// Adds the new lines and removals to an index.
    ///
    /// - Returns: `false` if another task or process has moved the cursor meanwhile.
    private func read(
        _ reader: LedgerReader, from start: SourceCursor, _ index: LibraryIndex, _ changes: inout LibraryChanges,
        _ progress: (Int, Int) -> Void
    ) throws(CaptureError) -> Bool {
        var cursor = start
        // Removals first: a line that is read later has its removal.
        guard try remove(reader, index, &cursor, &changes) else { return false }
        let last = try reader.newestLine() ?? 0
        while let first = try reader.oldestLine(from: cursor.line + 1), first <= last {
            let lines = first...min(last, first + Self.batch - 1)
            guard try add(reader, lines, index, &cursor, &changes) else { return false }
            progress(cursor.line, last)
        }
        return true
    }

    /// Moves the cursor in the transaction that changes the pictures.
    ///
    /// - Returns: `nil` if another task or process has moved it meanwhile, or has given the series other names.
    private func move(
        _ cursor: inout SourceCursor, to next: SourceCursor, _ index: LibraryIndex,
        _ body: (IndexWriter) throws -> LibraryChanges
    ) throws(CaptureError) -> LibraryChanges? {
        let known = cursor
        let changes = try index.write { writer -> LibraryChanges? in
            guard try writer.cursor(of: ledger) == known else { return nil }
            let changes = try body(writer)
            try writer.move(next)
            return changes
        }
        cursor = next
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

    /// Returns the source with the names of the series, and the cursor. If another ledger is at the path, or an older copy
    /// of it, or the series has another name, it begins from nothing.
    private func begin(
        _ reader: LedgerReader, _ index: LibraryIndex, _ identity: String
    ) throws(CaptureError) -> (LedgerSource, SourceCursor) {
        if let cursor = try index.cursor(of: ledger), try named(by: cursor).isOf(cursor, identity, reader) {
            return (named(by: cursor), cursor)
        }
        return try index.write { writer in
            var cursor = try writer.cursor(of: ledger, identity: identity)
            let source = named(by: cursor)
            guard try !source.isOf(cursor, identity, reader) else { return (source, cursor) }
            // A new account has no items, and finding that out reads all of them.
            if cursor.line > 0 || cursor.removal > 0 { try writer.removeItems(of: cursor.number, kind: .still) }
            (cursor.identity, cursor.line, cursor.removal) = (identity, 0, 0)
            (cursor.series, cursor.camera, cursor.damagedCount) = (source.series, source.camera, 0)
            try writer.move(cursor)
            return (source, cursor)
        }
    }

    /// Returns the source with the names that an index has, unless a configuration gave it names.
    private func named(by cursor: SourceCursor) -> LedgerSource {
        guard !isNamed, let series = cursor.series else { return self }
        var source = self
        (source.series, source.camera) = (series, cursor.camera)
        return source
    }

    /// The ledger is read after the cursor: meanwhile it may only have grown.
    private func isOf(
        _ cursor: SourceCursor, _ identity: String, _ reader: LedgerReader
    ) throws(CaptureError) -> Bool {
        guard cursor.identity == identity, cursor.series == series, cursor.camera == camera else { return false }
        return try cursor.line <= reader.newestLine() ?? 0
    }

    /// - Returns: `false` if the cursor was moved meanwhile.
    private func add(
        _ reader: LedgerReader, _ lines: ClosedRange<Int>, _ index: LibraryIndex, _ cursor: inout SourceCursor,
        _ changes: inout LibraryChanges
    ) throws(CaptureError) -> Bool {
        var (reading, next) = (LedgerReading(), cursor)
        try read(reader, lines, index.board, &reading)
        next.line = lines.upperBound
        next.damagedCount += reading.damagedCount
        let (pictures, source) = (reading.pictures, cursor.number)
        let added = try move(&cursor, to: next, index) { writer in
            var changes = LibraryChanges()
            for (item, place) in pictures
            where try writer.put(item, at: [place], source: source) { changes.addPut(item.id) }
            return changes
        }
        changes.add(added ?? LibraryChanges())
        return added != nil
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

    /// - Returns: `false` if the cursor was moved meanwhile.
    private func remove(
        _ reader: LedgerReader, _ index: LibraryIndex, _ cursor: inout SourceCursor, _ changes: inout LibraryChanges
    ) throws(CaptureError) -> Bool {
        while true {
            let (lines, last) = try reader.removals(after: cursor.removal, most: Self.batch)
            guard last > cursor.removal else { return true }
            var next = cursor
            next.removal = last
            let read = cursor.line
            let removed = try move(&cursor, to: next, index) { writer in
                var changes = LibraryChanges()
                for line in lines where line <= read {
                    let id = ItemID(index.board, .series(series, line: line))
                    if try writer.remove(id, below: folder ?? reader.folder) { changes.addRemoved(id) }
                }
                return changes
            }
            guard let removed else { return false }
            changes.add(removed)
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
