// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The state of a collection for people.
package struct SyncState: Sendable, Hashable {
    /// The ID of the kind.
    package let kind: String
    /// The question that a person has to answer; `nil` if there is none, or it is answered.
    package var question: SyncQuestion?
    /// The answer that has not been followed yet.
    package var answer: SyncAnswer?
    /// The time of the last pull, at most a day too early, in milliseconds since 1970; `nil` before the first one.
    package var pulled: Int64?
    /// The numbers of records that the backend does not have yet, that need a person, and that the backend refuses.
    package var waiting = 0, conflicts = 0, refused = 0
}

/// The choice of a person between two versions.
package enum RecordChoice: String, Sendable, Hashable, CaseIterable {
    /// The version of this device.
    case mine
    /// The version of the backend.
    case theirs
}

extension RecordStore {
    // MARK: Questions

    /// Returns the state of a collection.
    package func syncState(of kind: String) throws(CaptureError) -> SyncState {
        let collection = try collection(kind)
        var state = SyncState(kind: kind)
        (state.answer, state.pulled) = (collection.answer, collection.pulled)
        state.question = collection.answer == nil ? collection.question : nil
        return try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT sync, count(*) FROM record WHERE kind = ? AND sync IN ('dirty', 'conflict', 'refused')
                GROUP BY sync
                """, [.text(kind)])
            while try rows.next() {
                let count = Int(try rows.requiredInteger(1))
                switch RecordRow.Sync(rawValue: try rows.requiredText(0)) {
                case .dirty: state.waiting = count
                case .conflict: state.conflicts = count
                case .refused: state.refused = count
                case .clean, nil: break
                }
            }
            return state
        }
    }

    /// Answers the question of a collection. The synchronization follows it when it sees the change.
    ///
    /// - Returns: `false` if there is no question.
    @discardableResult
    package func answer(_ answer: SyncAnswer, _ kind: String) throws(CaptureError) -> Bool {
        try commit { database throws(DatabaseError) in
            let rows = try database.prepare(
                "UPDATE collection SET state = ? WHERE kind = ? AND reason IS NOT NULL RETURNING 1",
                [.text(answer.rawValue), .text(kind)])
            var isFound = false
            while try rows.next() { isFound = true }
            return isFound
        }
    }

    // MARK: Conflicts

    /// Returns the IDs of the records that need a person, those that changed last first.
    package func conflicted(_ kind: String, most: Int) throws(CaptureError) -> [RecordID] {
        try ids(kind, .conflict, most: most)
    }

    /// Returns the IDs of the records that the backend refuses, those that changed last first.
    package func refused(_ kind: String, most: Int) throws(CaptureError) -> [RecordID] {
        try ids(kind, .refused, most: most)
    }

    private func ids(_ kind: String, _ sync: RecordRow.Sync, most: Int) throws(CaptureError) -> [RecordID] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT id FROM record WHERE kind = ? AND sync = ? ORDER BY place DESC LIMIT ?",
                [.text(kind), .text(sync.rawValue), .init(most)])
            var ids: [RecordID] = []
            while try rows.next() {
                guard let id = RecordID(try rows.requiredText(0)) else { throw rows.wrong(0) }
                ids.append(id)
            }
            return ids
        }
    }

    /// Returns the reason why the backend refuses a record; `nil` if it does not.
    package func refusal(_ id: RecordID) throws(CaptureError) -> String? {
        try perform { database throws(DatabaseError) in
            let row = try row(id, in: database)
            return row?.sync == .refused ? row?.reason : nil
        }
    }

    /// Returns the conflicts of a record, by their parts.
    package func conflicts(of id: RecordID) throws(CaptureError) -> [RecordConflict] {
        try perform { database throws(DatabaseError) in try conflicts(of: id, in: database) }
    }

    /// Chooses between the versions of a part, or of the whole record. When no conflict is left, the record is pushed.
    ///
    /// - Parameters:
    ///   - part: The part; `nil` if the record was deleted on one side.
    ///   - revision: The revision that the person has seen.
    ///   - actor: The name of the token.
    /// - Returns: The record.
    package func resolve(
        _ id: RecordID, _ part: RecordPart?, _ choice: RecordChoice, from revision: Int, actor: String?
    ) throws(RecordRefusal) -> Record {
        let result: Result<Record, RecordRefusal>
        do throws(CaptureError) {
            result = try commit { database throws(DatabaseError) in
                try resolve(id, part, choice, from: revision, actor, in: database)
            }
        } catch {
            throw .other(error)
        }
        return try result.get()
    }

    private func resolve(
        _ id: RecordID, _ part: RecordPart?, _ choice: RecordChoice, from revision: Int, _ actor: String?,
        in database: Database
    ) throws(DatabaseError) -> Result<Record, RecordRefusal> {
        var conflicts = try conflicts(of: id, in: database)
        guard var row = try row(id, in: database), let index = conflicts.firstIndex(where: { $0.part == part }) else {
            return .failure(.missing)
        }
        guard row.record.revision == revision else { return .failure(.changed(row.record)) }
        let conflict = conflicts.remove(at: index)
        let before = row.record
        if choice == .theirs {
            if let part {
                row.record.content[part] = conflict.theirs.content?[part]
            } else {
                row.record.isTrashed = conflict.theirs == .deleted
                if let content = conflict.theirs.content { row.record.content = content }
            }
        }
        row.sync = conflicts.isEmpty ? (row.isAtBase ? .clean : .dirty) : .conflict
        try replaceConflicts(of: id, conflicts, etag: row.baseETag ?? 0, in: database)
        if row.record == before {
            try putSync(row, in: database)
        } else {
            (row.record.revision, row.record.changed, row.record.actor) = (before.revision + 1, now, actor)
            try put(row, in: database)
        }
        return .success(row.record)
    }

    // MARK: Rows

    /// The name of the whole record in the table.
    private static let wholeRecord = "record"

    func conflicts(of id: RecordID, in database: Database) throws(DatabaseError) -> [RecordConflict] {
        let rows = try database.prepare(
            "SELECT part, base, mine, theirs FROM conflict WHERE record = ? ORDER BY part", [.text(id.description)])
        var conflicts: [RecordConflict] = []
        while try rows.next() {
            let name = try rows.requiredText(0)
            let part = RecordPart(name)
            guard part != nil || name == Self.wholeRecord else { throw rows.wrong(0) }
            var copies: [RecordCopy] = []
            for column in Int32(1)...3 {
                let content = try rows.text(column).map { text throws(DatabaseError) in
                    try RecordRow.content(text, of: id)
                }
                copies.append(content.map(RecordCopy.present) ?? (part == nil && column > 1 ? .deleted : .absent))
            }
            conflicts.append(RecordConflict(part, base: copies[0], mine: copies[1], theirs: copies[2]))
        }
        return conflicts
    }

    /// Replaces the conflicts of a record, and the uses of their pictures.
    func replaceConflicts(
        of id: RecordID, _ conflicts: [RecordConflict], etag: Int, in database: Database
    ) throws(DatabaseError) {
        let record = DatabaseValue.text(id.description)
        try database.insert("DELETE FROM conflict WHERE record = ?", [record])
        try database.insert("DELETE FROM blob_use WHERE record = ? AND revision = 0", [record])
        for conflict in conflicts {
            let texts = [conflict.base, conflict.mine, conflict.theirs].map { DatabaseValue($0.content?.json.text) }
            try database.insert(
                "INSERT INTO conflict(record, part, base, mine, theirs, etag) VALUES (?, ?, ?, ?, ?, ?)",
                [record, .text(conflict.part?.description ?? Self.wholeRecord)] + texts + [.init(etag)])
            for sha256 in conflict.theirs.content?.hashes ?? [] {
                try database.insert("INSERT OR IGNORE INTO blob_use VALUES (?, ?, 0)", [.text(sha256), record])
            }
        }
    }
}
