// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB
import StillKit

/// A part of the list of deleted pictures.
public struct TrashPage: Sendable, Hashable {
    /// A deleted picture.
    public struct Entry: Sendable, Hashable {
        /// The picture.
        public var item: LibraryItem
        /// When it was deleted, in seconds since 1970.
        public var deleted: Int64
    }

    /// The pictures, the last deleted first.
    public var entries: [Entry]
    /// The position after the last one; `nil` at the end of the list.
    public var next: TrashPosition?
}

/// A position in the deleted pictures, which are in the order of their deletion.
public struct TrashPosition: Sendable, Hashable, CustomStringConvertible {
    let second: Int64
    let key: ItemKey

    init(_ second: Int64, _ key: ItemKey) { (self.second, self.key) = (second, key) }

    /// Reads a position; `nil` if the text is none.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 16, let second = Int64(parts[0], radix: 36),
            let position = LibraryPosition(String(parts[1]))
        else { return nil }
        self.init(second, position.key)
    }

    /// The position as text for addresses of requests.
    public var description: String { "\(String(second, radix: 36)).\(LibraryPosition(key))" }
}

extension LibraryIndex {
    /// Returns deleted pictures, the last deleted first.
    ///
    /// - Parameters:
    ///   - position: The position at which the page begins; `nil` for the last deleted picture.
    ///   - limit: The maximum number of pictures, 1 to ``mostItems``.
    /// - Throws: `CaptureError` if the index cannot be read.
    public func trash(from position: TrashPosition? = nil, limit: Int) throws(CaptureError) -> TrashPage {
        let most = max(1, min(Self.mostItems, limit))
        return try read { database in
            // Without the name of the index, SQLite may read all items.
            let sql = """
                SELECT \(ItemRow.list), hidden_s FROM item INDEXED BY item_in_trash
                WHERE state = \(Self.trashed) AND (hidden_s, key) < (?, ?) ORDER BY hidden_s DESC, key DESC LIMIT ?
                """
            let bound: StatementArguments = [position?.second ?? .max, position?.key.value ?? .max, most + 1]
            var rows = try Row.fetchAll(database, sql: sql, arguments: bound)
            let continues = rows.count > most
            if continues { rows.removeLast() }
            let entries = rows.compactMap { row -> (ItemKey, TrashPage.Entry)? in
                guard let found = ItemRow(row), let second: Int64 = row.value(ItemRow.columns.count) else { return nil }
                return (found.key, TrashPage.Entry(item: found.item, deleted: second))
            }
            let next = continues ? entries.last.map { TrashPosition($0.1.deleted, $0.0) } : nil
            return TrashPage(entries: entries.map(\.1), next: next)
        }
    }

    /// Returns the number of deleted pictures, and the bytes of their files without copies.
    public func trashSize() throws(CaptureError) -> (count: Int, byteCount: Int) {
        try read { database in
            let sql = """
                SELECT count(*), coalesce(sum(bytes), 0) FROM item INDEXED BY item_in_trash WHERE state = \(Self.trashed)
                """
            let row = try Row.fetchOne(database, sql: sql)
            return (row?.value(0) ?? 0, row?.value(1) ?? 0)
        }
    }

    /// Returns when the oldest picture of the trash was deleted, in seconds since 1970; `nil` if there is none.
    package func oldestDeletion() throws(CaptureError) -> Int64? {
        try read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT min(hidden_s) FROM item INDEXED BY item_in_trash WHERE state = \(Self.trashed)")
        }
    }

    /// Returns the pictures that were deleted before a moment, in seconds since 1970.
    func trashed(before second: Int64) throws(CaptureError) -> [ItemID] {
        try read { database in
            let sql = "SELECT id FROM item INDEXED BY item_in_trash WHERE state = \(Self.trashed) AND hidden_s < ?"
            return try String.fetchAll(database, sql: sql, arguments: [second]).compactMap { ItemID($0) }
        }
    }

    /// Returns the deleted pictures that had a file in a range.
    func trashed(in range: FolderRange) throws(CaptureError) -> [ItemID] {
        try read { database in
            let sql = """
                SELECT DISTINCT item.id, folder.path FROM item INDEXED BY item_in_trash
                JOIN place ON place.item = item.key JOIN folder ON folder.id = place.folder
                WHERE state = \(Self.trashed)
                """
            return try Row.fetchAll(database, sql: sql).compactMap { row in
                guard let path: String = row.value(1), range.contains(path) else { return nil }
                return row.value(0).flatMap { ItemID($0) }
            }
        }
    }

    /// Returns the deleted pictures with this size and this hash, and the one with an ID.
    func deleted(like digest: FileDigest, or id: ItemID) throws(CaptureError) -> [ItemID] {
        try read { database in
            let hash = Hexadecimal.data(digest.sha256)
            return try String.fetchAll(
                database,
                sql: """
                    SELECT id FROM item WHERE bytes = ? AND substr(sha256, 1, 4) = ? AND sha256 = ? AND state = \(Self.trashed)
                    UNION SELECT id FROM item WHERE id = ? AND state = \(Self.trashed)
                    """, arguments: [digest.byteCount, hash?.prefix(4), hash, id.description]
            ).compactMap { ItemID($0) }
        }
    }

    private static var trashed: Int { LibraryItem.State.trash.rawValue }
}
#endif
