// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB
import LedgerKit

/// Changes an index within one transaction. It keeps the rows of items, of words, of facets and of days consistent.
///
/// It belongs to the thread of the transaction.
final class IndexWriter {
    let database: Database
    private let days: DayCounts
    private var facets: FacetNumbers
    let folders: FolderNumbers
    private let statements: Statements

    /// The statements of each item, which are prepared once.
    private struct Statements {
        let insert, find, update, delete, hide, source: Statement
        let addWords, removeWords: Statement
        let addPlace, takePlace, ownerOfPlace, removePlaces, countPlaces: Statement

        init(_ database: Database) throws {
            let columns = ItemRow.columns + ["source"]
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            insert = try database.makeStatement(
                sql: "INSERT OR IGNORE INTO item(\(columns.joined(separator: ", "))) VALUES(\(marks))")
            find = try database.makeStatement(sql: "SELECT \(ItemRow.list) FROM item WHERE id = ?")
            update = try database.makeStatement(
                sql: "UPDATE item SET \(columns.map { $0 + " = ?" }.joined(separator: ", ")) WHERE key = ?")
            delete = try database.makeStatement(sql: "DELETE FROM item WHERE key = ?")
            hide = try database.makeStatement(sql: "UPDATE item SET hidden_s = ? WHERE key = ?")
            source = try database.makeStatement(sql: "SELECT source FROM item WHERE key = ?")
            addWords = try database.makeStatement(sql: "INSERT INTO words(rowid, text, facets) VALUES(?, ?, ?)")
            removeWords = try database.makeStatement(
                sql: "INSERT INTO words(words, rowid, text, facets) VALUES('delete', ?, ?, ?)")
            let place = "INTO place(folder, name, item, role, stamp) VALUES(?, ?, ?, ?, ?)"
            addPlace = try database.makeStatement(sql: "INSERT OR IGNORE \(place)")
            takePlace = try database.makeStatement(sql: "INSERT OR REPLACE \(place)")
            ownerOfPlace = try database.makeStatement(sql: "SELECT item FROM place WHERE folder = ? AND name = ?")
            removePlaces = try database.makeStatement(sql: "DELETE FROM place WHERE item = ?")
            countPlaces = try database.makeStatement(sql: "SELECT count(*) FROM place WHERE item = ?")
        }
    }

    init(_ database: Database) throws {
        self.database = database
        days = try DayCounts(database)
        facets = try FacetNumbers(database)
        folders = try FolderNumbers(database)
        statements = try Statements(database)
    }

    /// Writes the sums. Call it once, at the end of the transaction.
    func finish() throws { try days.write() }

    /// Adds an item, or replaces the facts of the item with the same ID. Notes and state of a known item stay.
    ///
    /// A file has one item: an item whose last place another one takes is removed.
    ///
    /// - Parameter source: The number of the account from which the facts are; `nil` for a file without one.
    /// - Returns: `false` if the index has just these facts and places.
    @discardableResult
    func put(_ item: LibraryItem, at places: [ItemPlace], source: Int64? = nil) throws -> Bool {
        try add(item, at: places, source: source) || update(item, at: places, source: source)
    }

    /// Adds an item with its files.
    ///
    /// - Parameter stamp: When the files were last changed, in nanoseconds since 1970; 0 if no scan has seen them.
    /// - Returns: `false` if there is an item with its ID, which is not changed.
    func add(_ item: LibraryItem, at places: [ItemPlace], source: Int64? = nil, stamp: Int64 = 0) throws -> Bool {
        guard let key = try insert(item, source) else { return false }
        try addWords(item, key)
        try setPlaces(places, of: key, stamp: stamp)
        return true
    }

    /// Changes what people added.
    ///
    /// - Returns: `false` if there is no such item, or it has these notes.
    @discardableResult
    func set(_ notes: ItemNotes, of id: ItemID) throws -> Bool {
        guard let row = try find(id), row.item.notes != notes else { return false }
        var item = row.item
        item.notes = notes
        try replace(row, with: item)
        return true
    }

    /// Adds the hash of a file that had none.
    func set(hash: String, of id: ItemID) throws {
        guard let row = try find(id), row.item.facts.sha256 == nil else { return }
        try database.execute(
            sql: "UPDATE item SET sha256 = ? WHERE key = ?", arguments: [Hexadecimal.data(hash), row.key.value])
    }

    /// Changes whether an item is present, missing or in the trash.
    ///
    /// - Parameter moment: Since when, in seconds since 1970.
    @discardableResult
    func set(_ state: LibraryItem.State, of id: ItemID, since moment: Int64 = WallTime.now().seconds) throws -> Bool {
        guard let row = try find(id) else { return false }
        return try set(state, of: row, since: moment)
    }

    /// Does the same for the row of an item.
    func set(_ state: LibraryItem.State, of row: ItemRow, since moment: Int64 = WallTime.now().seconds) throws -> Bool {
        guard row.item.state != state else { return false }
        var item = row.item
        item.state = state
        let key = try replace(row, with: item)
        try statements.hide.execute(arguments: [state == .present ? nil : moment, key.value])
        return true
    }

    /// Adds files to an item.
    func addPlaces(_ places: [ItemPlace], of id: ItemID) throws {
        guard let row = try find(id) else { return }
        try setPlaces(places, of: row.key)
        try refreshAlbums(of: row.key)
    }

    /// Forgets that an item is in the trash, which has no file of it any more. An account still has its picture, so it is
    /// missing then.
    func forgetTrashed(_ id: ItemID) throws {
        guard let row = try find(id), row.item.state == .trash else { return }
        if row.item.facts.kind == .file { try remove(row) } else { try set(.missing, of: id) }
    }

    /// Removes an item. An unknown one is no error.
    ///
    /// - Returns: `false` if it is unknown.
    @discardableResult
    func remove(_ id: ItemID) throws -> Bool {
        guard let row = try find(id) else { return false }
        try remove(row)
        return true
    }

    /// Removes the files of an item that an account has removed, and the item if no other file shows it: a copy of the
    /// account can have the same item.
    ///
    /// - Parameter folder: The folder of the account.
    /// - Returns: `false` if the item is unknown, or has another file.
    func remove(_ id: ItemID, below folder: String) throws -> Bool {
        guard let row = try find(id) else { return false }
        let range = FolderRange(folder, among: [])
        let places = try ItemPlace.fetchAll(database, of: row.key)
        guard places.contains(where: { $0.role == .shown && !range.contains($0.folder) }) else {
            try remove(row)
            _ = try keepAlbums(of: row, places.filter { $0.role == .album && !range.contains($0.folder) })
            return true
        }
        for place in places where range.contains(place.folder) { try removePlace(place) }
        return false
    }

    /// Returns an item.
    func find(_ id: ItemID) throws -> ItemRow? {
        try Row.fetchOne(statements.find, arguments: [id.description]).flatMap(ItemRow.init)
    }

    // MARK: - Rows

    /// Returns the key of the new row; `nil` if there is an item with this ID.
    private func insert(_ item: LibraryItem, _ source: Int64?) throws -> ItemKey? {
        var key = ItemKey(item)
        while true {
            statements.insert.setUncheckedArguments(ItemRow.arguments(item, key: key, source: source))
            try statements.insert.execute()
            if database.changesCount > 0 { return key }
            // Either the ID or the key is used.
            guard try !isKnown(item.id) else { return nil }
            key = key.next
        }
    }

    private func isKnown(_ id: ItemID) throws -> Bool {
        try database.cachedStatement(sql: "SELECT 1 FROM item WHERE id = ?").isFound(id)
    }

    /// Replaces the facts of the item with the same ID, as ``put(_:at:source:)`` does.
    ///
    /// - Returns: `false` if there is none, or it has just these facts and places.
    func update(_ item: LibraryItem, at places: [ItemPlace], source: Int64? = nil) throws -> Bool {
        guard let row = try find(item.id) else { return false }
        var (changed, places) = (row.item, places)
        // A file that is there again is present; one in the trash stays there.
        if changed.state == .missing { changed.state = .present }
        let known = try self.places(of: row.key)
        if let source, try isCopy(item, of: row, source) {
            places = known.union(places).sorted { $0.path < $1.path }
        } else {
            changed.facts = item.facts
            if item.facts.kind == .clip, item.facts.byteCount == row.item.facts.byteCount {
                // A list of clips has no hashes: that of a verification stays.
                changed.facts.sha256 = row.item.facts.sha256
            }
            places += known.filter { $0.role == .album && !places.contains($0) }
        }
        let isSame = changed == row.item && known == Set(places)
        guard !isSame else { return false }
        let key = try replace(row, with: changed, source)
        try statements.removePlaces.execute(arguments: [key.value])
        try setPlaces(places, of: key)
        return true
    }

    /// `true` if a copied account has the picture of another one: it has the same bytes in one more file.
    private func isCopy(_ item: LibraryItem, of row: ItemRow, _ source: Int64) throws -> Bool {
        let (facts, known) = (item.facts, row.item.facts)
        let hasItsBytes =
            facts.kind == .clip
            ? facts.byteCount == known.byteCount && facts.taken == known.taken
            : facts.sha256 != nil && facts.sha256 == known.sha256
        guard hasItsBytes, row.item.state == .present, let other = try self.source(of: row.key) else { return false }
        return other != source
    }

    /// Replaces a row. It moves to another key if the moment changed.
    @discardableResult
    func replace(_ row: ItemRow, with item: LibraryItem, _ source: Int64? = nil) throws -> ItemKey {
        try removeWords(row.item, row.key)
        let key = try freeKey(for: item, of: row)
        var values = ItemRow.arguments(item, key: key, source: try source ?? self.source(of: row.key))
        values += [row.key.value]
        statements.update.setUncheckedArguments(values)
        try statements.update.execute()
        if key != row.key {
            try database.execute(
                sql: "UPDATE place SET item = ? WHERE item = ?", arguments: [key.value, row.key.value])
        }
        try addWords(item, key)
        return key
    }

    private func freeKey(for item: LibraryItem, of row: ItemRow) throws -> ItemKey {
        guard item.facts.taken != row.item.facts.taken else { return row.key }
        var key = ItemKey(item)
        while key != row.key,
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS(SELECT 1 FROM item WHERE key = ?)", arguments: [key.value]) == true
        { key = key.next }
        return key
    }

    private func source(of key: ItemKey) throws -> Int64? {
        try Row.fetchOne(statements.source, arguments: [key.value])?.value(0)
    }

    private func remove(_ row: ItemRow) throws {
        try removeWords(row.item, row.key)
        try statements.removePlaces.execute(arguments: [row.key.value])
        try statements.delete.execute(arguments: [row.key.value])
    }

    // MARK: - Words

    /// Only pictures that are present are found, and counted.
    private func addWords(_ item: LibraryItem, _ key: ItemKey) throws {
        guard item.state == .present else { return }
        let numbers = try item.facets.map { try facets.number(of: $0) }
        statements.addWords.setUncheckedArguments([key.value, item.text, Self.tokens(numbers)])
        try statements.addWords.execute()
        days.add(1, item.facts.day, numbers)
    }

    private func removeWords(_ item: LibraryItem, _ key: ItemKey) throws {
        guard item.state == .present else { return }
        let numbers = try item.facets.map { try facets.number(of: $0) }
        statements.removeWords.setUncheckedArguments([key.value, item.text, Self.tokens(numbers)])
        try statements.removeWords.execute()
        days.add(-1, item.facts.day, numbers)
    }

    private static func tokens(_ numbers: [Int64]) -> String {
        numbers.map(FacetToken.text).joined(separator: " ")
    }

    // MARK: - Places

    func setPlaces(_ places: [ItemPlace], of key: ItemKey, stamp: Int64 = 0) throws {
        for place in places {
            let folder = try folders.number(of: place.folder)
            let values: StatementArguments = [folder, place.name, key.value, place.role.rawValue, stamp]
            statements.addPlace.setUncheckedArguments(values)
            try statements.addPlace.execute()
            guard database.changesCount == 0 else { continue }
            let owner = try Int64.fetchOne(statements.ownerOfPlace, arguments: [folder, place.name])
            statements.takePlace.setUncheckedArguments(values)
            try statements.takePlace.execute()
            if let owner, owner != key.value {
                try removeIfLost(ItemKey(owner))
                if place.role == .album { try refreshAlbums(of: ItemKey(owner)) }
            }
        }
    }

    /// Removes an item without a place: another picture has replaced its file.
    private func removeIfLost(_ key: ItemKey) throws {
        guard try Int.fetchOne(statements.countPlaces, arguments: [key.value]) == 0, let row = try row(of: key) else {
            return
        }
        try remove(row)
    }

    func row(of key: ItemKey) throws -> ItemRow? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(ItemRow.list) FROM item WHERE key = ?"), arguments: [key.value]
        ).flatMap(ItemRow.init)
    }

    private func places(of key: ItemKey) throws -> Set<ItemPlace> {
        Set(try ItemPlace.fetchAll(database, of: key))
    }
}

extension ItemPlace {
    /// Returns the places of an item's files, in the order of their roles.
    static func fetchAll(_ database: Database, of key: ItemKey) throws -> [ItemPlace] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT path, name, role FROM place JOIN folder ON folder.id = place.folder
                    WHERE item = ? ORDER BY role, path, name
                    """), arguments: [key.value]
        ).compactMap { row in
            guard let folder: String = row.value(0), let name: String = row.value(1) else { return nil }
            return ItemPlace(folder: folder, name: name, role: row.value(2).flatMap(Role.init) ?? .shown)
        }
    }

    /// Returns the places of a folder, without those below it.
    static func fetchAll(_ database: Database, in folder: String) throws -> [ItemPlace] {
        try Row.fetchAll(
            database, sql: "SELECT name, role FROM place WHERE folder = (SELECT id FROM folder WHERE path = ?)",
            arguments: [folder]
        ).compactMap { row in
            guard let name: String = row.value(0) else { return nil }
            return ItemPlace(folder: folder, name: name, role: row.value(1).flatMap(Role.init) ?? .shown)
        }
    }
}

extension Statement {
    fileprivate func isFound(_ id: ItemID) throws -> Bool {
        try Row.fetchOne(self, arguments: [id.description]) != nil
    }
}
#endif
