// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

extension RecordStore {
    /// Returns a part of the records that answer a question, the one that changed last first.
    package func page(_ query: RecordQuery) throws(CaptureError) -> RecordPage {
        let limit = max(1, min(query.limit, 10_000))
        return try perform { database throws(DatabaseError) in
            try database.snapshot { () throws(DatabaseError) in
                guard let source = RecordSource(query) else { return RecordPage() }
                var page = RecordPage()
                page.total = try source.count(in: database)
                let (condition, values) = source.before(query.before)
                let rows = try database.prepare(
                    """
                    SELECT \(RecordRow.columns) FROM \(source.tables) WHERE \(condition)
                    ORDER BY \(source.place) DESC LIMIT ?
                    """, values + [.init(limit + 1)])
                // One row more shows that there is another page.
                while try rows.next() {
                    guard page.records.count < limit else { return page }
                    page.records.append(try RecordRow.record(rows))
                    page.next = try RecordRow.place(rows)
                }
                page.next = nil
                return page
            }
        }
    }

    /// Returns a record; `nil` if there is none.
    package func record(_ id: RecordID) throws(CaptureError) -> Record? {
        try perform { database throws(DatabaseError) in try row(id, in: database)?.record }
    }

    /// Returns the versions of a record, the newest first; none if there is no such record.
    package func versions(_ id: RecordID) throws(CaptureError) -> [RecordVersion] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT revision, content, state, changed_ns, zone, actor FROM version WHERE record = ?
                ORDER BY revision DESC
                """, [.text(id.description)])
            var versions: [RecordVersion] = []
            while try rows.next() {
                versions.append(
                    RecordVersion(
                        revision: Int(try rows.requiredInteger(0)),
                        content: try RecordRow.content(try rows.requiredText(1), of: id),
                        isTrashed: try rows.requiredText(2) == "trash",
                        changed: WallTime(
                            nanoseconds: try rows.requiredInteger(3), zone: Int(try rows.requiredInteger(4))),
                        actor: try rows.text(5)))
            }
            return versions
        }
    }

    /// Returns the IDs that begin with a text, in their order.
    ///
    /// - Parameter most: The maximum number.
    package func identifiers(beginning text: String, most: Int) throws(CaptureError) -> [RecordID] {
        try identifiers(
            "SELECT id FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            [.text(text), .text(text + "\u{10FFFF}"), .init(most)])
    }

    /// Returns the records with a value of the key, the one that changed last first: at most one that is not in the
    /// trash, unless records of other boards have the same key.
    ///
    /// - Parameter most: The maximum number.
    package func identifiers(
        of kind: String, key: String, isTrashed: Bool, most: Int
    ) throws(CaptureError) -> [RecordID] {
        try identifiers(
            "SELECT id FROM record WHERE kind = ? AND key_text = ? AND state = ? ORDER BY place DESC LIMIT ?",
            [.text(kind), .text(key), .text(isTrashed ? "trash" : "present"), .init(most)])
    }

    private func identifiers(_ text: String, _ values: [DatabaseValue]) throws(CaptureError) -> [RecordID] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(text, values)
            var found: [RecordID] = []
            while try rows.next() {
                guard let id = RecordID(try rows.requiredText(0)) else { throw rows.wrong(0) }
                found.append(id)
            }
            return found
        }
    }

    /// Returns the records that changed last since an earlier call, in the order of their changes, and the place from
    /// which the next call continues.
    ///
    /// - Parameters:
    ///   - place: The result of the call before; `nil` for no records.
    ///   - most: The maximum number; older changes are left out.
    package func changes(
        since place: Int64?, most: Int
    ) throws(CaptureError) -> (records: [Record], place: Int64) {
        try perform { database throws(DatabaseError) in
            try database.snapshot { () throws(DatabaseError) in
                let last = try database.number("SELECT max(place) FROM record") ?? 0
                guard let place, place < last else { return ([], last) }
                let rows = try database.prepare(
                    "SELECT \(RecordRow.columns) FROM record WHERE place > ? ORDER BY place DESC LIMIT ?",
                    [.integer(place), .init(most)])
                var records: [Record] = []
                while try rows.next() { records.append(try RecordRow.record(rows)) }
                return (records.reversed(), last)
            }
        }
    }

    /// Returns the number of records of each kind that are not in the trash, by the IDs of the kinds.
    package func counts() throws(CaptureError) -> [String: Int] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT kind, count FROM tally WHERE state = 'present' AND count > 0")
            var counts: [String: Int] = [:]
            while try rows.next() { counts[try rows.requiredText(0)] = Int(try rows.requiredInteger(1)) }
            return counts
        }
    }
}

/// The tables and conditions that answer a question.
private struct RecordSource {
    /// The tables, of which one is `record`.
    let tables: String
    /// The column with the order of the records.
    let place: String
    private let conditions: [String]
    private let values: [DatabaseValue]
    /// `true` if the number of records has to be counted.
    private let isSearch: Bool
    private let query: RecordQuery

    private static let state = (present: DatabaseValue.text("present"), trash: DatabaseValue.text("trash"))

    /// - Returns: `nil` if nothing can be found, as for words without letters and digits.
    init?(_ query: RecordQuery) {
        self.query = query
        let state = query.isTrashed ? Self.state.trash : Self.state.present
        isSearch = query.words.contains { !$0.isWhitespace }
        let kind: [DatabaseValue] = query.kind.map { [.text($0)] } ?? []
        if !isSearch {
            (tables, place) = ("record", "record.place")
            conditions = (query.kind == nil ? [] : ["record.kind = ?"]) + ["record.state = ?"]
            values = kind + [state]
        } else if query.mayReadPersonal {
            guard let words = RecordText.sought(query.words) else { return nil }
            (tables, place) = ("plain_words JOIN record ON record.place = plain_words.place", "plain_words.place")
            conditions =
                (query.kind == nil ? [] : ["plain_words.kind = ?"]) + ["plain_words.state = ?"]
                + words.map { _ in "instr(plain_words.text, ?) > 0" }
            values = kind + [state] + words.map { .text($0) }
        } else {
            guard let expression = RecordText.expression(query) else { return nil }
            (tables, place) = ("words JOIN record ON record.place = words.rowid", "words.rowid")
            (conditions, values) = (["words MATCH ?"], [.text(expression)])
        }
    }

    /// Returns the condition for records before a place, with its values.
    func before(_ start: Int64?) -> (condition: String, values: [DatabaseValue]) {
        guard let start else { return (conditions.joined(separator: " AND "), values) }
        return ((conditions + ["\(place) < ?"]).joined(separator: " AND "), values + [.integer(start)])
    }

    func count(in database: Database) throws(DatabaseError) -> Int {
        let (condition, values) = before(nil)
        let text =
            if isSearch {
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM \(query.mayReadPersonal ? "plain_words" : "words") WHERE \(condition)
                    LIMIT \(RecordPage.mostCounted))
                """
            } else {
                "SELECT sum(count) FROM tally AS record WHERE \(condition)"
            }
        let rows = try database.prepare(text, values)
        return try rows.next() ? Int(try rows.integer(0) ?? 0) : 0
    }
}
