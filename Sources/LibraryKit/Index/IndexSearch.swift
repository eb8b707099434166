// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

/// A search as a query of the index.
///
/// A list without terms reads the rows of items, which are in the order of time. Any other list reads the rows of the
/// full-text index in the same order. Neither sorts, counts or skips rows.
struct IndexSearch {
    private let expression: String?
    private let days: ClosedRange<Int>
    /// The keys that the pictures can have.
    private let keys: Range<ItemKey>
    /// `true` if the search selects moments within days.
    private let cutsDays: Bool
    /// The facet, if the search only selects its pictures.
    private let single: Int64?

    /// - Returns: `nil` if no picture can be found.
    init?(_ query: LibraryQuery, in database: Database) throws {
        let text = try FullTextQuery(query, IndexFacets(database: database))
        guard !text.findsNothing, let days = try Self.days(query.days, of: text.required, in: database) else {
            return nil
        }
        (expression, single, self.days) = (text.expression, text.single, days)
        cutsDays = query.since != nil || query.until != nil
        let since = query.since.map(ItemKey.first) ?? ItemKey(.min)
        let until = query.until.map(ItemKey.first) ?? ItemKey(.max)
        let (first, end) = (max(since, Self.lowerBound(days)), min(until, Self.upperBound(days)))
        guard first < end else { return nil }
        keys = first..<end
    }

    /// Returns the first and the last day, within these, on which pictures have each of several facets; `nil` if there is
    /// none. Few days tell it: the full-text index would compare the lists of all pictures with each facet.
    private static func days(
        _ days: ClosedRange<Int>, of facets: [Int64], in database: Database
    ) throws -> ClosedRange<Int>? {
        guard facets.count > 1 else { return days }
        let others = repeatElement("AND day IN (SELECT day FROM day WHERE facet = ?)", count: facets.count - 1)
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT min(day), max(day) FROM day
                WHERE facet = ? AND day BETWEEN ? AND ? \(others.joined(separator: " "))
                """,
            arguments: [facets[0], days.lowerBound, days.upperBound] + StatementArguments(facets.dropFirst()))
        guard let first: Int = row?.value(0), let last: Int = row?.value(1) else { return nil }
        return first...last
    }

    /// Returns rows with their keys, newest first. A row that cannot be read has no item, and does not end a list.
    func rows(before key: ItemKey?, limit: Int, in database: Database) throws -> [(key: ItemKey, item: LibraryItem?)] {
        let upper = min(key ?? ItemKey(.max), keys.upperBound)
        var arguments: StatementArguments = expression.map { [$0] } ?? []
        arguments += [upper.value, keys.lowerBound.value, days.lowerBound, days.upperBound, limit]
        let statement = try database.cachedStatement(sql: expression == nil ? Self.plainRows : Self.foundRows)
        return try Row.fetchAll(statement, arguments: arguments).compactMap { row in
            row.value(0).map { (ItemKey($0), ItemRow(row)?.item) }
        }
    }

    /// Returns the number of pictures of each day, from new to old.
    func days(in database: Database) throws -> [LibraryDay] {
        var arguments: StatementArguments = [days.lowerBound, days.upperBound]
        let query: String
        if !cutsDays, let facet = expression == nil ? DayCounts.all : single {
            query = "SELECT day, count FROM day WHERE day BETWEEN ? AND ? AND facet = ? ORDER BY day DESC"
            arguments += [facet]
        } else {
            let found = "words CROSS JOIN item ON item.key = words.rowid"
            query = """
                SELECT day, count(*) FROM \(expression == nil ? "item" : found)
                WHERE day BETWEEN ? AND ? AND key >= ? AND key < ? AND \(expression == nil ? "state = 0" : "words MATCH ?")
                GROUP BY day ORDER BY day DESC
                """
            arguments += [keys.lowerBound.value, keys.upperBound.value]
            if let expression { arguments += [expression] }
        }
        return try Row.fetchAll(database, sql: query, arguments: arguments).compactMap(LibraryDay.init)
    }

    private static let plainRows = """
        SELECT \(ItemRow.list) FROM item
        WHERE key < ? AND key >= ? AND day BETWEEN ? AND ? AND state = 0 ORDER BY key DESC LIMIT ?
        """
    // CROSS JOIN fixes the order of the tables: the other one reads all items.
    private static let foundRows = """
        SELECT \(ItemRow.list) FROM words CROSS JOIN item ON item.key = words.rowid
        WHERE words MATCH ? AND words.rowid < ? AND words.rowid >= ? AND day BETWEEN ? AND ?
        ORDER BY words.rowid DESC LIMIT ?
        """

    // A day begins up to 15 hours earlier or later in a zone than in UTC.
    private static func upperBound(_ days: ClosedRange<Int>) -> ItemKey {
        // The last key of all has moments of any later year.
        // All moments before 1970 have keys of its first millisecond.
        days.upperBound == LibraryQuery.allDays.upperBound
            ? ItemKey(.max) : max(.bound(ofDay: days.upperBound + 1, hours: 15), ItemKey(1 << 20))
    }
    private static func lowerBound(_ days: ClosedRange<Int>) -> ItemKey { .bound(ofDay: days.lowerBound, hours: -15) }
}
#endif
