// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ClipList
import LedgerKit
import VideoKit

/// The clips of a camera, as their list has them. No clip is opened.
///
/// The index has a cursor: the number up to which it has all clips. It stays below a clip that is being recorded, while
/// newer ones can be complete. The list is read within the transactions of the index, one at a time in all processes: so
/// the last one has the last state of a clip.
package struct ClipSource: Sendable, Hashable {
    /// The path of the list.
    package let list: String
    /// The ID of the camera; `nil` if it is unknown.
    private var camera: String?
    /// `true` if a configuration names the camera; `false` if the one that the index has is better.
    private let isNamed: Bool

    /// Creates the source of the clips of a camera that a configuration names.
    package init(list: String, camera: String) { (self.list, self.camera, isNamed) = (list, camera, true) }

    /// Creates the source of a list that no configuration has named yet.
    init(unnamed list: String) { (self.list, camera, isNamed) = (list, nil, false) }

    /// A transaction has so many clips. Between two of them, other processes change the index.
    static let batch = 1000

    /// Adds the clips that the index does not have, and removes those that the list has no more. The cost grows with the
    /// list. Blocks.
    ///
    /// - Throws: `CaptureError` if the list or the index cannot be read, or the task is canceled. The clips before that are
    ///   in the index.
    package func catchUp(_ index: LibraryIndex) throws(CaptureError) -> LibraryChanges {
        guard let reading = try Reading(list, index.board) else { return LibraryChanges() }
        var changes = LibraryChanges()
        var (source, cursor) = try begin(reading, index)
        try source.advance(reading, &cursor, index, &changes)
        try source.addUnsettled(reading, cursor, index, &changes)
        try source.removeGone(reading, cursor, index, &changes)
        return changes
    }

    /// Brings the index up to date with one clip, and adds those before it. The cost does not grow with the list. Blocks.
    ///
    /// - Throws: The errors of ``catchUp(_:)``.
    package func catchUp(clip number: Int, _ index: LibraryIndex) throws(CaptureError) -> LibraryChanges {
        guard let reading = try Reading(list, index.board) else { return LibraryChanges() }
        var changes = LibraryChanges()
        var (source, cursor) = try begin(reading, index)
        try source.advance(reading, &cursor, index, &changes)
        let known = cursor
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                if let clip = try reading.reader.clip(number), clip.isPlayable {
                    // The cursor has added it, unless an older clip is still recorded.
                    if number > known.line { try source.put(clip, reading, known, writer, &changes) }
                } else {
                    try source.remove(number, reading, writer, &changes)
                }
                return changes
            })
        return changes
    }

    // MARK: - Cursor

    /// A list that is open.
    private struct Reading {
        let reader: ClipReader
        /// Distinguishes the list from others.
        let identity: String
        private let board: BoardName

        /// Opens a list; `nil` if it is missing, or empty, as before the first clip.
        init?(_ list: String, _ board: BoardName) throws(CaptureError) {
            self.board = board
            do throws(CaptureError) {
                reader = try ClipReader(list)
                guard let identity = try reader.identity() else { return nil }
                self.identity = identity
            } catch {
                guard error.code == .noInput else { throw error }
                return nil
            }
        }

        /// The folder below which the clips are.
        var folder: String { reader.folder }

        /// Returns the clips that can be played of a range of IDs, the oldest first, and the last ID that was read.
        func playable(in range: ClosedRange<Int>) throws(CaptureError) -> (clips: [StoredClip], last: Int) {
            let page = try reader.page(in: range, isNewestFirst: false, most: ClipSource.batch)
            return (page.clips.filter(\.isPlayable), page.ids.upperBound)
        }

        func id(_ number: Int) -> ItemID {
            let name = AccountName.name(folder: DeviceFiles.name(of: folder), identity: identity)
            return ItemID(board, .clip(list: name, number: number))
        }
    }

    /// Returns the source with the camera, and the cursor. If another list is at the path, or an older copy of it, it begins
    /// from nothing; with another camera, all clips are put again.
    private func begin(
        _ reading: Reading, _ index: LibraryIndex
    ) throws(CaptureError) -> (ClipSource, SourceCursor) {
        if let cursor = try index.cursor(of: list), try named(by: cursor).isCurrent(cursor, reading) {
            return (named(by: cursor), cursor)
        }
        return try index.write { writer in
            var cursor = try writer.cursor(of: list, identity: reading.identity)
            let source = named(by: cursor)
            guard try !source.isCurrent(cursor, reading) else { return (source, cursor) }
            if try !isOf(cursor, reading) { try writer.removeItems(of: cursor.number, kind: .clip) }
            (cursor.identity, cursor.line, cursor.camera) = (reading.identity, 0, source.camera)
            try writer.move(cursor)
            return (source, cursor)
        }
    }

    private func isCurrent(_ cursor: SourceCursor, _ reading: Reading) throws(CaptureError) -> Bool {
        try isOf(cursor, reading) && cursor.camera == camera
    }

    /// The list is read after the cursor: meanwhile it may only have grown.
    private func isOf(_ cursor: SourceCursor, _ reading: Reading) throws(CaptureError) -> Bool {
        guard cursor.identity == reading.identity else { return false }
        return try cursor.line <= reading.reader.newestID()
    }

    /// Returns the source with the camera that an index has, unless a configuration names one.
    private func named(by cursor: SourceCursor) -> ClipSource {
        guard !isNamed else { return self }
        var source = self
        source.camera = cursor.camera
        return source
    }

    // MARK: - Changes

    /// Adds the clips after the cursor, up to the first one that is being recorded.
    private func advance(
        _ reading: Reading, _ cursor: inout SourceCursor, _ index: LibraryIndex, _ changes: inout LibraryChanges
    ) throws(CaptureError) {
        while try reading.reader.lastSettledID() > cursor.line {
            try checkCanceled()
            let before = cursor
            let (next, added) = try index.write { writer in
                var (next, added) = (before, LibraryChanges())
                // Another process can have moved the cursor.
                guard let now = try writer.cursor(of: list), now.identity == before.identity else {
                    return (before, added)
                }
                next.line = now.line
                let last = try reading.reader.lastSettledID()
                guard last > now.line else { return (next, added) }
                let page = try reading.playable(in: now.line + 1...last)
                for clip in page.clips { try put(clip, reading, now, writer, &added) }
                next.line = page.last
                try writer.move(next)
                return (next, added)
            }
            changes.add(added)
            // Another list has replaced this one in the index.
            guard next.line > cursor.line else { return }
            cursor = next
        }
    }

    /// Adds the complete clips that are newer than one that is being recorded.
    private func addUnsettled(
        _ reading: Reading, _ cursor: SourceCursor, _ index: LibraryIndex, _ changes: inout LibraryChanges
    ) throws(CaptureError) {
        let end = try reading.reader.newestID()
        var first = cursor.line + 1
        while first <= end {
            try checkCanceled()
            let range = first...end
            let (last, added) = try index.write { writer in
                var added = LibraryChanges()
                let page = try reading.playable(in: range)
                for clip in page.clips { try put(clip, reading, cursor, writer, &added) }
                return (page.last, added)
            }
            changes.add(added)
            first = last + 1
        }
    }

    /// Removes the clips that the list has no more.
    private func removeGone(
        _ reading: Reading, _ cursor: SourceCursor, _ index: LibraryIndex, _ changes: inout LibraryChanges
    ) throws(CaptureError) {
        var known = try index.clips(of: cursor.number)
        let end = try reading.reader.newestID()
        var first = 1
        while first <= end, !known.isEmpty {
            try checkCanceled()
            let page = try reading.playable(in: first...end)
            for clip in page.clips { known.remove(clip.id) }
            first = page.last + 1
        }
        let gone = known.sorted()
        for start in stride(from: 0, to: gone.count, by: Self.batch) {
            try checkCanceled()
            let part = gone[start..<min(gone.count, start + Self.batch)]
            changes.add(
                try index.write { writer in
                    var removed = LibraryChanges()
                    for number in part { try remove(number, reading, writer, &removed) }
                    return removed
                })
        }
    }

    private func checkCanceled() throws(CaptureError) {
        if Task.isCancelled { throw CaptureError(.temporary, "reading was canceled", subject: list) }
    }

    private func put(
        _ clip: StoredClip, _ reading: Reading, _ cursor: SourceCursor, _ writer: IndexWriter,
        _ changes: inout LibraryChanges
    ) throws {
        guard let (item, place) = item(clip, reading.id(clip.id)) else { return }
        if try writer.put(item, at: [place], source: cursor.number) { changes.addPut(item.id) }
    }

    /// Removes a clip that the list has no more. One in the trash stays there, and one that a person restored from it stays
    /// with its file.
    private func remove(
        _ number: Int, _ reading: Reading, _ writer: IndexWriter, _ changes: inout LibraryChanges
    ) throws {
        let id = reading.id(number)
        guard let row = try writer.find(id), row.item.state != .trash else { return }
        if let clip = try reading.reader.clip(number) {
            // It was in the list, or was read before the list had removed it.
            guard !clip.isPlayable else { return }
            if clip.state == .removed, DeviceFiles.exists(clip.path) { return }
        }
        if try writer.remove(id, below: reading.folder) { changes.addRemoved(id) }
    }

    /// Returns the item of a clip; `nil` if it has no movie below the folder of the list. A list is a file that other programs
    /// can write: it must not make the library read or copy other files.
    private func item(_ clip: StoredClip, _ id: ItemID) -> (LibraryItem, ItemPlace)? {
        guard let byteCount = clip.byteCount, clip.path == LedgerPlace.absolute(clip.path),
            MovieFacts.isMovie(fileName: clip.path), ItemID(id.description) == id
        else { return nil }
        let place = ItemPlace(path: clip.path)
        var facts = ItemFacts(.clip, taken: clip.start, byteCount: byteCount, fileName: place.name)
        (facts.width, facts.height, facts.camera) = (clip.width, clip.height, camera)
        facts.duration = .milliseconds((clip.duration?.nanoseconds ?? 0) / 1_000_000)
        return (LibraryItem(id: id, facts: facts), place)
    }
}
#endif
