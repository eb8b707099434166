// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

/// A part of a list of pictures.
public struct LibraryPage: Sendable, Hashable {
    /// The pictures, newest first.
    public var items: [LibraryItem]
    /// The position after the last picture; `nil` at the end of the list.
    public var next: LibraryPosition?
}

/// A position in the pictures of a library, which are in the order of time.
public struct LibraryPosition: Sendable, Hashable, CustomStringConvertible {
    let key: ItemKey

    init(_ key: ItemKey) { self.key = key }

    /// Reads a position; `nil` if the text is none.
    public init?(_ text: String) {
        guard (1...16).contains(text.utf8.count), let value = Int64(text, radix: 36), value >= 0 else { return nil }
        key = ItemKey(value)
    }

    /// The position before the first picture of a day in any zone.
    public static func end(ofDay day: Int) -> LibraryPosition { LibraryPosition(.bound(ofDay: day + 1, hours: 15)) }

    /// The position before the first picture of a day that comes after the given one, such as 2026-03-01; `nil` if the text
    /// is no date.
    public init?(endOf date: String) {
        guard let day = WallTime.day(date) else { return nil }
        self = Self.end(ofDay: day)
    }

    /// The position as text for addresses of requests.
    public var description: String { String(key.value, radix: 36) }
}

/// The number of pictures of a day.
public struct LibraryDay: Sendable, Hashable {
    /// The day, counted from 1970, in the zone of each picture.
    public let day: Int
    /// The number of pictures.
    public let count: Int

    init(day: Int, count: Int) { (self.day, self.count) = (day, count) }

    init?(_ row: Row) {
        guard let day: Int = row.value(0), let count: Int = row.value(1) else { return nil }
        self.init(day: day, count: count)
    }
}

extension ItemKey {
    /// The key of a moment so many hours after the start of a day, in UTC.
    static func bound(ofDay day: Int, hours: Int64) -> ItemKey {
        let seconds = Int64(day) * 86400 + hours * 3600
        return first(at: WallTime(seconds: seconds, nanoseconds: 0, utcOffset: 0))
    }
}

extension LibraryIndex {
    /// The maximum number of pictures in a page.
    public static let mostItems = 500

    /// Returns pictures, newest first.
    ///
    /// - Parameters:
    ///   - position: The position at which the page begins; `nil` for the newest picture.
    ///   - limit: The maximum number of pictures, 1 to ``mostItems``.
    /// - Throws: `CaptureError` if the index cannot be read.
    public func page(
        _ query: LibraryQuery, from position: LibraryPosition? = nil, limit: Int
    ) throws(CaptureError) -> LibraryPage {
        let most = max(1, min(Self.mostItems, limit))
        return try read { database in
            guard let search = try IndexSearch(query, in: database) else { return LibraryPage(items: [], next: nil) }
            // One more shows whether the list continues.
            var rows = try search.rows(before: position?.key, limit: most + 1, in: database)
            let continues = rows.count > most
            if continues { rows.removeLast() }
            return LibraryPage(
                items: rows.compactMap(\.item), next: continues ? rows.last.map { LibraryPosition($0.key) } : nil)
        }
    }

    /// Returns the newest picture that a search finds and whose file is there now, with the path of that file; `nil` if
    /// there is none. It passes over pictures whose disk is away. `-kind:clip` in the search leaves out clips.
    ///
    ///     if let (item, path) = try index.newest(LibraryQuery("tag:snow ")) { print(item.id, path) }
    public func newest(
        _ query: LibraryQuery = LibraryQuery()
    ) throws(CaptureError) -> (item: LibraryItem, path: String)? {
        var position: LibraryPosition?
        repeat {
            let page = try page(query, from: position, limit: 20)
            for item in page.items {
                if let path = try shownPath(of: item.id), DeviceFiles.exists(path) { return (item, path) }
            }
            position = page.next
        } while position != nil
        return nil
    }

    /// Returns the days with pictures and their number, from new to old.
    ///
    /// A search with one facet at most takes time in proportion to the days, any other in proportion to the pictures.
    public func days(_ query: LibraryQuery) throws(CaptureError) -> [LibraryDay] {
        try read { database in try IndexSearch(query, in: database)?.days(in: database) ?? [] }
    }

    /// Returns the number of pictures that a search finds.
    public func count(_ query: LibraryQuery) throws(CaptureError) -> Int {
        try days(query).reduce(0) { $0 + $1.count }
    }

    /// Returns the values of a kind of facet with their number of pictures, in the order of the values.
    public func values(of kind: Facet.Kind) throws(CaptureError) -> [(value: String, count: Int)] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT value, sum(count) FROM facet JOIN day ON day.facet = facet.id
                    WHERE kind = ? GROUP BY facet.id ORDER BY value
                    """, arguments: [kind.rawValue]
            ).compactMap { row in
                guard let value: String = row.value(0), let count: Int = row.value(1) else { return nil }
                return (value, count)
            }
        }
    }

    /// Returns a picture with the places of its files; `nil` if it is unknown.
    public func item(_ id: ItemID) throws(CaptureError) -> (item: LibraryItem, places: [ItemPlace])? {
        try read { database in
            guard let row = try ItemRow.fetch(id, in: database) else { return nil }
            return (row.item, try ItemPlace.fetchAll(database, of: row.key))
        }
    }

    /// Returns the picture of a file; `nil` if no picture has it.
    package func item(at place: ItemPlace) throws(CaptureError) -> LibraryItem? { try picture(at: place)?.item }

    /// Returns the picture of a file with the places of all its files; `nil` if no picture has it.
    func picture(at place: ItemPlace) throws(CaptureError) -> (item: LibraryItem, places: [ItemPlace])? {
        try read { database in
            guard let row = try ItemRow.fetch(at: place, in: database) else { return nil }
            return (row.item, try ItemPlace.fetchAll(database, of: row.key))
        }
    }

    /// Calls `body` with all files of the picture of each place, in one view of the index. A place without a picture is
    /// left out.
    func forEachPicture(
        at places: some Sequence<ItemPlace>, _ body: (_ files: [ItemPlace]) -> Void
    ) throws(CaptureError) {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT item FROM folder JOIN place ON place.folder = folder.id
                    WHERE folder.path = ? AND place.name = ?
                    """)
            for place in places {
                guard let key = try Int64.fetchOne(statement, arguments: [place.folder, place.name]) else { continue }
                body(try ItemPlace.fetchAll(database, of: ItemKey(key)))
            }
        }
    }

    /// `true` if a shown file of one of the sizes has no account.
    func hasFiles(withoutAccount byteCounts: Set<Int>) throws(CaptureError) -> Bool {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT 1 FROM item WHERE bytes = ? AND kind = \(ItemFacts.Kind.file.rawValue)
                        AND state = \(LibraryItem.State.present.rawValue) LIMIT 1
                    """)
            return try byteCounts.contains { try Int.fetchOne(statement, arguments: [$0]) != nil }
        }
    }

    /// Returns the shown files of a size that have no account, with their items.
    func files(withoutAccount byteCount: Int) throws(CaptureError) -> [(ItemID, ItemPlace)] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT item.id, path, place.name FROM item JOIN place ON place.item = item.key
                    JOIN folder ON folder.id = place.folder
                    WHERE bytes = ? AND kind = \(ItemFacts.Kind.file.rawValue)
                        AND state = \(LibraryItem.State.present.rawValue) AND role = \(ItemPlace.Role.shown.rawValue)
                    ORDER BY path, place.name
                    """)
            return try Row.fetchAll(statement, arguments: [byteCount]).compactMap { row in
                guard let id = row.value(0).flatMap({ ItemID($0) }), let folder: String = row.value(1),
                    let name: String = row.value(2)
                else { return nil }
                return (id, ItemPlace(folder: folder, name: name))
            }
        }
    }

    /// Computes the hashes of clips of some sizes: their lists have none, and copies are recognized by them. A file that is
    /// away, or cannot be read, gets none.
    func hashClips(of byteCounts: [Int]) throws(CaptureError) {
        for byteCount in byteCounts {
            let clips = try read { database in
                try String.fetchAll(
                    database.cachedStatement(
                        sql: """
                            SELECT id FROM item WHERE bytes = ? AND kind = \(ItemFacts.Kind.clip.rawValue)
                                AND state = \(LibraryItem.State.present.rawValue) AND sha256 IS NULL
                            """), arguments: [byteCount]
                ).compactMap { ItemID($0) }
            }
            for id in clips {
                guard let path = try shownPath(of: id), let digest = try? FileDigest(path, most: byteCount),
                    digest.byteCount == byteCount
                else { continue }
                try write { try $0.set(hash: digest.sha256, of: id) }
            }
        }
    }

    /// Returns the sizes of the pictures without an account that have a file in an album, each once.
    func albumFileSizes() throws(CaptureError) -> [Int] {
        try read { database in
            // Without the name of the index, SQLite reads all items.
            try Int.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT bytes FROM place INDEXED BY place_in_album JOIN item ON item.key = place.item
                    WHERE role = \(ItemPlace.Role.album.rawValue) AND kind = \(ItemFacts.Kind.file.rawValue)
                    """)
        }
    }

    /// Returns `true` if a picture has this size.
    func hasItem(byteCount: Int) throws(CaptureError) -> Bool {
        try read { database in
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS(SELECT 1 FROM item WHERE bytes = ?)", arguments: [byteCount]) ?? false
        }
    }

    /// Returns the paths of the shown files of the pictures with this size and this hash, and of the picture with an ID:
    /// one that was only scanned has no hash.
    func paths(of digest: FileDigest, or id: ItemID) throws(CaptureError) -> [String] {
        try read { database in
            let hash = Hexadecimal.data(digest.sha256)
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT path, place.name FROM item JOIN place ON place.item = item.key
                    JOIN folder ON folder.id = place.folder
                    WHERE role IN (\(ItemPlace.Role.shown.rawValue), \(ItemPlace.Role.album.rawValue)) AND state <> \(LibraryItem.State.trash.rawValue)
                        AND item.key IN (
                            SELECT key FROM item WHERE bytes = ? AND substr(sha256, 1, 4) = ? AND sha256 = ?
                            UNION SELECT key FROM item WHERE id = ?)
                    """, arguments: [digest.byteCount, hash?.prefix(4), hash, id.description]
            ).compactMap { row in
                guard let folder: String = row.value(0), let name: String = row.value(1) else { return nil }
                return ItemPlace(folder: folder, name: name).path
            }
        }
    }

    /// Calls `body` with each picture and its places as a line, in the order of the IDs: two indexes with the same
    /// content have the same lines.
    package func eachLine(_ body: (String) throws -> Void) throws(CaptureError) {
        try read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT \(ItemRow.list) FROM item ORDER BY id")
            while let row = try rows.next() {
                guard let found = ItemRow(row) else { continue }
                let places = try ItemPlace.fetchAll(database, of: found.key).map { "\($0.role.rawValue):\($0.path)" }
                try body("\(found.item.line) \(places)")
            }
        }
    }
}

extension ItemRow {
    /// Returns the item of a file.
    static func fetch(at place: ItemPlace, in database: Database) throws -> ItemRow? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(list) FROM folder JOIN place ON place.folder = folder.id JOIN item ON item.key = place.item
                WHERE folder.path = ? AND place.name = ?
                """)
        return try Row.fetchOne(statement, arguments: [place.folder, place.name]).flatMap(ItemRow.init)
    }

    static func fetch(_ id: ItemID, in database: Database) throws -> ItemRow? {
        let statement = try database.cachedStatement(sql: "SELECT \(list) FROM item WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.description]).flatMap(ItemRow.init)
    }
}

extension LibraryItem {
    /// All that the index has of the picture.
    fileprivate var line: String {
        let values: [Any?] = [
            facts.kind.word, state, facts.taken.iso8601, facts.fileName, facts.byteCount, facts.width, facts.height,
            facts.duration, facts.sha256, facts.camera, facts.series, facts.session, facts.stage, facts.brightness,
            facts.sharpness, notes.tags, notes.stars, notes.title, albums,
        ]
        return "\(id) " + values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
}
#endif
