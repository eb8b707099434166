// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
internal import GRDB

/// The numbers of facets within one transaction.
struct FacetNumbers {
    private let find, insert: Statement
    private let database: Database
    private var known: [Facet: Int64] = [:]

    init(_ database: Database) throws {
        self.database = database
        find = try database.cachedStatement(sql: "SELECT id FROM facet WHERE kind = ? AND value = ?")
        insert = try database.cachedStatement(sql: "INSERT INTO facet(kind, value) VALUES(?, ?)")
    }

    /// Returns the number of a facet, which it gets now if it is new.
    mutating func number(of facet: Facet) throws -> Int64 {
        if let number = known[facet] { return number }
        let number: Int64
        if let found = try Int64.fetchOne(find, arguments: [facet.kind.rawValue, facet.value]) {
            number = found
        } else {
            number = try add(facet)
        }
        known[facet] = number
        return number
    }

    private func add(_ facet: Facet) throws -> Int64 {
        try insert.execute(arguments: [facet.kind.rawValue, facet.value])
        let number = database.lastInsertedRowID
        if facet.kind.isNamedByWords {
            try database.execute(
                sql: "INSERT INTO facet_words(rowid, value) VALUES(?, ?)", arguments: [number, facet.value])
        }
        return number
    }
}

/// The numbers of folders within one transaction.
final class FolderNumbers {
    private let find, insert: Statement
    private let database: Database
    /// Pictures come folder by folder.
    private var last: (path: String, number: Int64)?

    init(_ database: Database) throws {
        self.database = database
        find = try database.cachedStatement(sql: "SELECT id FROM folder WHERE path = ?")
        insert = try database.cachedStatement(sql: "INSERT INTO folder(path) VALUES(?)")
    }

    /// Returns the number of a folder, which it gets now if it is new.
    func number(of path: String) throws -> Int64 {
        if let last, last.path == path { return last.number }
        let number: Int64
        if let found = try Int64.fetchOne(find, arguments: [path]) {
            number = found
        } else {
            try insert.execute(arguments: [path])
            number = database.lastInsertedRowID
        }
        last = (path, number)
        return number
    }
}

/// The changes of a transaction to the number of pictures of each day, in all and of each facet.
final class DayCounts {
    /// The number of all pictures has this facet.
    static let all: Int64 = 0

    private struct Key: Hashable {
        let facet: Int64, day: Int
    }

    private let add, removeEmpty: Statement
    private var changes: [Key: Int] = [:]

    init(_ database: Database) throws {
        removeEmpty = try database.cachedStatement(sql: "DELETE FROM day WHERE facet = ? AND day = ? AND count = 0")
        add = try database.cachedStatement(
            sql: """
                INSERT INTO day(facet, day, count) VALUES(?, ?, ?)
                ON CONFLICT(facet, day) DO UPDATE SET count = count + excluded.count
                """)
    }

    /// Counts a picture, or uncounts one, in all and in each facet.
    func add(_ number: Int, _ day: Int, _ facets: [Int64]) {
        for facet in [Self.all] + facets { changes[Key(facet: facet, day: day), default: 0] += number }
    }

    /// Writes the changes.
    func write() throws {
        for (key, change) in changes where change != 0 {
            try add.execute(arguments: [key.facet, key.day, change])
            if change < 0 { try removeEmpty.execute(arguments: [key.facet, key.day]) }
        }
        changes = [:]
    }
}
#endif
