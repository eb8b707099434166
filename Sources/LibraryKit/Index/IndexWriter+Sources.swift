// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

/// How much of an account the index has.
struct SourceCursor: Hashable {
    /// The number of the account in the index.
    let number: Int64
    /// Distinguishes the account from another one at the same path.
    var identity: String
    /// The last line of a ledger, and its last removal.
    var line = 0, removal = 0
    /// The names of the series and of its camera.
    var series: String?, camera: String?
    /// How many lines up to the last one are damaged.
    var damagedCount = 0
}

extension IndexWriter {
    /// Returns the cursor of an account, and adds the account if it is new.
    func cursor(of path: String, identity: String) throws -> SourceCursor {
        if let found = try cursor(of: path) { return found }
        try database.execute(
            sql: "INSERT INTO source(path, identity, line, removal) VALUES(?, ?, 0, 0)", arguments: [path, identity])
        return SourceCursor(number: database.lastInsertedRowID, identity: identity)
    }

    /// Returns the cursor of an account; `nil` if it is new.
    func cursor(of path: String) throws -> SourceCursor? { try SourceCursor.fetch(path, in: database) }

    /// Moves the cursor of an account.
    func move(_ cursor: SourceCursor) throws {
        try database.execute(
            sql:
                "UPDATE source SET identity = ?, line = ?, removal = ?, series = ?, camera = ?, damaged = ? WHERE id = ?",
            arguments: [
                cursor.identity, cursor.line, cursor.removal, cursor.series, cursor.camera, cursor.damagedCount,
                cursor.number,
            ])
    }

    /// Removes the items of an account, such as of a ledger that another one has replaced.
    ///
    /// - Parameter kept: The items that stay.
    /// - Returns: The IDs of the removed items.
    @discardableResult
    func removeItems(of source: Int64, kind: ItemFacts.Kind, except kept: Set<ItemID> = []) throws -> [ItemID] {
        let identifiers = try String.fetchAll(
            database, sql: "SELECT id FROM item WHERE source = ? AND kind = \(kind.rawValue)", arguments: [source]
        ).compactMap { ItemID($0) }.filter { !kept.contains($0) }
        for id in identifiers { try remove(id) }
        return identifiers
    }

    /// Removes an account that is gone, with its items.
    @discardableResult
    func removeSource(_ path: String, kind: ItemFacts.Kind) throws -> [ItemID] {
        guard let cursor = try cursor(of: path) else { return [] }
        let removed = try removeItems(of: cursor.number, kind: kind)
        try database.execute(sql: "DELETE FROM run WHERE source = ?", arguments: [cursor.number])
        try database.execute(sql: "DELETE FROM source WHERE id = ?", arguments: [cursor.number])
        return removed
    }
}

extension SourceCursor {
    fileprivate static func fetch(_ path: String, in database: Database) throws -> SourceCursor? {
        let statement = try database.cachedStatement(
            sql: "SELECT id, identity, line, removal, series, camera, damaged FROM source WHERE path = ?")
        return try Row.fetchOne(statement, arguments: [path]).flatMap { row in
            guard let number: Int64 = row.value(0), let identity: String = row.value(1), let line: Int = row.value(2),
                let removal: Int = row.value(3)
            else { return nil }
            return SourceCursor(
                number: number, identity: identity, line: line, removal: removal, series: row.value(4),
                camera: row.value(5), damagedCount: row.value(6) ?? 0)
        }
    }
}

extension LibraryIndex {
    /// Returns the cursor of an account; `nil` if it is new.
    func cursor(of path: String) throws(CaptureError) -> SourceCursor? {
        try read { try SourceCursor.fetch(path, in: $0) }
    }

    /// Returns the numbers of the clips that an account has in the index.
    func clips(of source: Int64) throws(CaptureError) -> Set<Int> {
        try read { database in
            var numbers: Set<Int> = []
            let rows = try String.fetchCursor(
                database,
                sql: """
                    SELECT id FROM item INDEXED BY item_of_list
                    WHERE source = ? AND kind = \(ItemFacts.Kind.clip.rawValue)
                    """, arguments: [source])
            while let text = try rows.next() {
                if case .clip(_, let number)? = ItemID(text)?.origin { numbers.insert(number) }
            }
            return numbers
        }
    }

    /// Returns the number of damaged lines of a ledger, as far as the index has read it.
    package func damagedLines(of ledger: String) throws(CaptureError) -> Int {
        try cursor(of: ledger)?.damagedCount ?? 0
    }

    /// Returns the ledger of a picture of a series, with the ledger's identity; `nil` for other pictures.
    ///
    /// - Throws: `CaptureError` if the index cannot be read.
    package func ledger(of id: ItemID) throws(CaptureError) -> (path: String, identity: String)? {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT path, identity FROM item JOIN source ON source.id = item.source
                    WHERE item.id = ? AND kind = \(ItemFacts.Kind.still.rawValue)
                    """)
            return try Row.fetchOne(statement, arguments: [id.description]).flatMap { row in
                guard let path: String = row.value(0), let identity: String = row.value(1) else { return nil }
                return (path, identity)
            }
        }
    }

    /// Returns the paths of the accounts below a folder, with their identities.
    func sources(below folder: String) throws(CaptureError) -> [String: String] {
        try read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT path, identity FROM source WHERE path >= ? AND path < ?",
                // The character after the slash.
                arguments: [folder + "/", folder + "0"])
            let pairs = rows.compactMap { row -> (String, String)? in
                guard let path: String = row.value(0), let identity: String = row.value(1) else { return nil }
                return (path, identity)
            }
            return Dictionary(pairs) { $1 }
        }
    }
}
#endif
