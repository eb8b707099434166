// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

// Rows with all that follows from them. Changes of people and those of a backend use the same code.

extension RecordStore {
    /// The versions of a record that are always kept, and the days for which all are kept.
    private static let keptVersions = 20, keptDays = 90

    /// Returns the row of a record; `nil` if there is none.
    func row(_ id: RecordID, in database: Database) throws(DatabaseError) -> RecordRow? {
        let rows = try database.prepare(
            "SELECT \(RecordRow.columns) FROM record WHERE id = ?", [.text(id.description)])
        return try rows.next() ? try RecordRow(rows) : nil
    }

    /// Writes a row as the one that changed last, with its version, its unique values, its words, and the uses of its
    /// pictures. Call it in a transaction.
    func put(_ row: RecordRow, in database: Database) throws(DatabaseError) {
        let record = row.record
        let (id, content) = (DatabaseValue.text(record.id.description), DatabaseValue.text(record.content.json.text))
        let moment: [DatabaseValue] = [
            .integer(record.changed.nanosecondsSince1970), .init(record.changed.utcOffset), .init(record.actor),
        ]
        try removeWords(of: record.id, in: database)
        let place = (try database.number("SELECT max(place) FROM record") ?? 0) + 1
        try database.insert(
            """
            INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            ON CONFLICT(id) DO UPDATE SET key_text = ?3, content = ?4, revision = ?5, state = ?6, place = ?7,
                changed_ns = ?8, zone = ?9, actor = ?10, base = ?11, base_etag = ?12, sync = ?13, reason = ?14
            """,
            [
                id, .text(record.kind), .init(keyText(record)), content, .init(record.revision),
                .text(record.stateText), .integer(place),
            ] + moment + [
                .init(row.base?.json.text), .init(row.baseETag), .text(row.sync.rawValue), .init(row.reason),
            ])
        try database.insert(
            "INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?, ?, ?, ?)",
            [id, .init(record.revision), content, .text(record.stateText)] + moment)
        for sha256 in record.content.hashes {
            try database.insert(
                "INSERT OR IGNORE INTO blob_use VALUES (?, ?, ?)", [.text(sha256), id, .init(record.revision)])
        }
        try pruneVersions(of: record, in: database)
        try putValues(of: record, place: place, in: database)
    }

    /// Removes a record with its versions. Its pictures are removed later, as other records may have them.
    func remove(_ id: RecordID, in database: Database) throws(DatabaseError) {
        try removeWords(of: id, in: database)
        for table in ["version", "blob_use", "unique_value", "conflict", "sent"] {
            try database.insert("DELETE FROM \(table) WHERE record = ?", [.text(id.description)])
        }
        try database.insert("DELETE FROM record WHERE id = ?", [.text(id.description)])
    }

    /// Makes the words and unique values of all records of a kind again.
    func indexAll(of kind: RecordKind, in database: Database) throws(DatabaseError) {
        var place: Int64 = 0
        while true {
            let rows = try database.prepare(
                "SELECT \(RecordRow.columns) FROM record WHERE +kind = ? AND place > ? ORDER BY place LIMIT 1",
                [.text(kind.id), .integer(place)])
            guard try rows.next() else { return }
            let record = try RecordRow.record(rows)
            place = try RecordRow.place(rows)
            try removeWords(of: record.id, in: database)
            try database.insert(
                "UPDATE record SET key_text = ? WHERE id = ?",
                [.init(keyText(record)), .text(record.id.description)])
            try putValues(of: record, place: place, in: database)
        }
    }

    private func keyText(_ record: Record) -> String? {
        kind(record.kind)?.key.flatMap { record.content.values[$0] }
    }

    private func removeWords(of id: RecordID, in database: Database) throws(DatabaseError) {
        let id = DatabaseValue.text(id.description)
        let rows = try database.prepare("SELECT place FROM record WHERE id = ?", [id])
        guard try rows.next() else { return }
        let place = DatabaseValue.integer(try rows.requiredInteger(0))
        try database.insert("DELETE FROM words WHERE rowid = ?", [place])
        try database.insert("DELETE FROM plain_words WHERE place = ?", [place])
        try database.insert("DELETE FROM unique_value WHERE record = ?", [id])
    }

    private func putValues(of record: Record, place: Int64, in database: Database) throws(DatabaseError) {
        let kind = kind(record.kind)
        try database.insert(
            "INSERT INTO words(rowid, text, facets) VALUES (?, ?, ?)",
            [
                .integer(place), .text(RecordText.indexed(record.content, kind)),
                .text(RecordText.facets(kind: record.kind, isTrashed: record.isTrashed)),
            ])
        try database.insert(
            "INSERT INTO plain_words VALUES (?, ?, ?, ?)",
            [
                .integer(place), .text(record.kind), .text(record.stateText),
                .text(RecordText.plain(record.content)),
            ])
        guard let kind, !record.isTrashed else { return }
        for (field, value) in kind.uniqueValues(of: record.content) {
            try database.insert(
                "INSERT INTO unique_value VALUES (?, ?, ?, ?)",
                [.text(kind.id), .text(field), .text(value), .text(record.id.description)])
        }
    }

    /// Removes the versions that are neither among the newest ones nor recent.
    private func pruneVersions(of record: Record, in database: Database) throws(DatabaseError) {
        let last = record.revision - Self.keptVersions
        guard last > 0 else { return }
        let since = record.changed.nanosecondsSince1970.subtractingReportingOverflow(
            Int64(Self.keptDays) * 86400 * 1_000_000_000
        ).partialValue
        let old = try database.prepare(
            "DELETE FROM version WHERE record = ? AND revision <= ? AND changed_ns < ? RETURNING revision",
            [.text(record.id.description), .init(last), .integer(since)])
        var revisions: [Int64] = []
        while try old.next() { revisions.append(try old.requiredInteger(0)) }
        var hashes: [String] = []
        for revision in revisions {
            let uses = try database.prepare(
                "DELETE FROM blob_use WHERE record = ? AND revision = ? RETURNING sha256",
                [.text(record.id.description), .integer(revision)])
            while try uses.next() { hashes.append(try uses.requiredText(0)) }
        }
        try noteUnused(hashes, of: record.kind, in: database)
    }
}

extension RecordContent {
    /// The hashes of all pictures.
    package var hashes: Set<String> {
        Set(sides.values.flatMap { [$0.file.sha256] + ($0.origin.map { [$0.file.sha256] } ?? []) })
    }

    /// All pictures: those of the sides, and the whole ones from which they were cropped.
    package var blobs: [RecordBlob] {
        sides.sorted { $0.key < $1.key }.flatMap { [$0.value.file] + ($0.value.origin.map { [$0.file] } ?? []) }
    }
}
