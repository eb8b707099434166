// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import LedgerKit
import SystemBase

/// Reads the list of a camera's clips in the order of their IDs, also while another process changes it.
///
/// The file may contain anything, so rows are checked, and a damaged one hides only its own clip. Every call blocks. A
/// reader belongs to one thread at a time.
package final class ClipReader {
    /// The finished clips at one end of a range of IDs.
    package struct Page: Sendable, Hashable {
        /// The clips in the order in which they were read. The state of a clip that is about to be removed is `removed`.
        package var clips: [StoredClip] = []
        /// The IDs that were read.
        package var ids: ClosedRange<Int>
        /// The IDs among them of clips that were removed, or whose rows are damaged.
        package var others: [Int] = []
    }

    /// The ending of the names of lists.
    package static let suffix = ".clips"
    /// Larger IDs are not those of clips.
    private static let largestID = 1 << 53
    /// The states of clips whose files are complete. A removal that has begun may fail.
    private static let finished = ["complete", "repaired", "removing"]

    /// The absolute path of the folder to which paths in the list are relative, without a trailing slash.
    package let folder: String
    private let path: String
    private let database: Database
    private let version: Int64

    /// Opens a list.
    ///
    /// - Throws: `CaptureError` `.noInput` if it is missing or has no tables; other codes if it cannot be used.
    package init(_ path: String) throws(CaptureError) {
        _ = try RegularFile.sizeWithoutOpening(path)
        let database: Database
        do throws(DatabaseError) { database = try Database(path, .read) } catch { throw .clips(error, path) }
        guard case .clips(let version) = try ClipSchema.check(database, path) else { throw .emptyClips(path) }
        (self.path, self.database, self.version) = (path, database, version)
        folder = LedgerPlace(path).baseFolder
    }

    /// Returns the list at this path, or those of a folder, in its hidden folder or in the folder itself. Blocks.
    package static func lists(at path: String) -> [String] { LedgerFinder.files(at: path, suffix) }

    /// Returns a hash that distinguishes this list from others at the same path: that of its first row, which is never
    /// deleted. `nil` if there is no clip yet.
    package func identity() throws(CaptureError) -> String? {
        try performing { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT id, start_ns, path FROM clips ORDER BY id LIMIT 1")
            guard try rows.next() else { return nil }
            let text = try "\(rows.requiredInteger(0)) \(rows.requiredInteger(1)) \(rows.requiredText(2))"
            return SHA256.digits(of: Array(text.utf8))
        }
    }

    /// Returns a clip, also one that was removed; `nil` if there is none, or its row is damaged.
    package func clip(_ id: Int) throws(CaptureError) -> StoredClip? {
        try performing { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(ClipSchema.columns) FROM clips WHERE id = ?", [.init(id)])
            return try rows.next() ? try? StoredClip(rows, folder) : nil
        }
    }

    /// Returns the ID of the newest clip; 0 if there is none.
    package func newestID() throws(CaptureError) -> Int {
        try performing { database throws(DatabaseError) in
            Int(try database.number("SELECT max(id) FROM clips WHERE id BETWEEN 1 AND \(Self.largestID)") ?? 0)
        }
    }

    /// Returns the ID up to which no clip is being recorded: such clips only change by being removed. 0 for a list without
    /// clips.
    package func lastSettledID() throws(CaptureError) -> Int {
        let newest = try newestID()
        return try recordingIDs().first.map { min(newest, $0 - 1) } ?? newest
    }

    /// Returns the IDs of the clips that are being recorded, or that a crash has left unfinished, the smallest first.
    package func recordingIDs() throws(CaptureError) -> [Int] {
        try performing { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT id FROM clips INDEXED BY clips_unfinished WHERE \(ClipSchema.unfinished) "
                    + "AND state = 'recording' AND id BETWEEN 1 AND \(Self.largestID) ORDER BY id")
            var ids: [Int] = []
            while try rows.next() { ids.append(Int(try rows.requiredInteger(0))) }
            return ids
        }
    }

    /// Returns the finished clips at one end of a range of IDs.
    ///
    /// - Parameters:
    ///   - ids: A range without clips that are being recorded.
    ///   - isNewestFirst: `true` to begin at the upper end.
    ///   - most: The maximum number of clips.
    package func page(in ids: ClosedRange<Int>, isNewestFirst: Bool, most: Int) throws(CaptureError) -> Page {
        try performing { database throws(DatabaseError) in
            var page = Page(ids: ids)
            let rows = try database.prepare(
                "SELECT \(ClipSchema.columns) FROM clips WHERE id BETWEEN ? AND ? "
                    + "ORDER BY id \(isNewestFirst ? "DESC" : "ASC")", [.init(ids.lowerBound), .init(ids.upperBound)])
            while page.clips.count < most, try rows.next() {
                let id = Int(try rows.requiredInteger(0))
                guard let clip = Self.finishedClip(rows, folder) else {
                    page.others.append(id)
                    continue
                }
                page.clips.append(clip)
                if page.clips.count == most { page.ids = isNewestFirst ? id...ids.upperBound : ids.lowerBound...id }
            }
            return page
        }
    }

    /// Returns the number of finished clips in a range of IDs.
    package func count(in ids: ClosedRange<Int>) throws(CaptureError) -> Int {
        try performing { database throws(DatabaseError) in
            let states = Self.finished.map { "'\($0)'" }.joined(separator: ", ")
            let rows = try database.prepare(
                "SELECT count(*) FROM clips WHERE id BETWEEN ? AND ? AND state IN (\(states))",
                [.init(ids.lowerBound), .init(ids.upperBound)])
            return try rows.next() ? try rows.count(0) : 0
        }
    }

    /// Returns the clips that a person has deleted after a deletion, and that are removed.
    ///
    /// - Parameters:
    ///   - deletion: The number of the last known deletion; 0 for none.
    ///   - most: The maximum number of deletions.
    /// - Returns: The clips, and the number of the last deletion; `deletion` if there is no other.
    package func deletions(after deletion: Int, most: Int) throws(CaptureError) -> (clips: [StoredClip], last: Int) {
        // A list of version 1 does not know who has removed a clip.
        guard version >= 2 else { return ([], deletion) }
        return try performing { database throws(DatabaseError) in
            var (clips, last) = ([StoredClip](), deletion)
            let rows = try database.prepare(
                "SELECT \(ClipSchema.columns), number FROM deletions LEFT JOIN clips ON id = clip "
                    + "WHERE number > ? ORDER BY number LIMIT ?", [.init(deletion), .init(most)])
            while try rows.next() {
                // A removal that has begun may fail.
                if try rows.text(4) == "removing" { break }
                last = Int(try rows.requiredInteger(14))
                guard let clip = try? StoredClip(rows, folder), clip.state == .removed || clip.state == .gone else {
                    continue
                }
                clips.append(clip)
            }
            return (clips, last)
        }
    }

    /// Returns the newest clip with a file, also one that was removed; `nil` if there is none.
    ///
    /// - Parameter path: The path of the file, relative to ``folder``.
    package func newestClip(ofFile path: String) throws(CaptureError) -> StoredClip? {
        try performing { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT \(ClipSchema.columns) FROM clips WHERE path = ? ORDER BY id DESC LIMIT 1", [.text(path)])
            return try rows.next() ? try? StoredClip(rows, folder) : nil
        }
    }

    /// Returns the clip of a row; `nil` if it is not finished, or the row is damaged.
    private static func finishedClip(_ row: borrowing DatabaseStatement, _ folder: String) -> StoredClip? {
        guard let clip = try? StoredClip(row, folder), clip.byteCount != nil, let state = try? row.text(4) else {
            return nil
        }
        return finished.contains(state) ? clip : nil
    }

    private func performing<Result>(
        _ body: (Database) throws(DatabaseError) -> Result
    ) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body(database) } catch { throw .clips(error, path) }
    }
}
