// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// A change of one record among many: of the record with an ID, or with the same key, or a new one.
package struct RecordEdit: Sendable, Hashable {
    /// The ID of the record; `nil` for the record with the same key, or a new one.
    package var id: RecordID?
    /// The values by the names of their fields; an empty text removes one.
    package var values: [String: String] = [:]
    /// The pictures by the names of their sides; `nil` removes one.
    package var sides: [String: RecordPicture?] = [:]
    /// `true` if the record has no other values and pictures afterwards.
    package var isWhole = false

    /// Creates a change without any.
    package init(id: RecordID? = nil) { self.id = id }

    /// Returns the content after the change.
    func applied(to content: RecordContent) -> RecordContent {
        var content = isWhole ? RecordContent() : content
        for (name, value) in values { content.values[name] = value.isEmpty ? nil : value }
        for (name, picture) in sides {
            // A table has no place of a crop: the same picture keeps its own.
            let isSame = picture?.origin == nil && picture?.file == content.sides[name]?.file
            if !isSame { content.sides[name] = picture }
        }
        return content
    }
}

/// The result of one change among many.
package enum RecordOutcome: Sendable, Hashable {
    /// There is a new record.
    case created(RecordID)
    /// The record has another content.
    case changed(RecordID)
    /// The record had this content already.
    case unchanged(RecordID)
    /// The change is not valid.
    case refused([RecordFault])

    /// `true` if the change is not valid.
    package var isRefused: Bool { if case .refused = self { true } else { false } }
}

extension RecordStore {
    /// Makes many changes in one transaction: all of them, or none.
    ///
    /// - Parameters:
    ///   - isPartial: `true` to make the valid changes also if others are not valid.
    ///   - isTrial: `true` to make none, and only to return the outcomes.
    /// - Returns: The outcome of each change, as if it were made. If one is refused, the store has none of them unless
    ///   `isPartial`.
    package func apply(
        _ edits: [RecordEdit], to kind: RecordKind, isPartial: Bool = false, isTrial: Bool = false,
        actor: String? = nil
    ) throws(CaptureError) -> [RecordOutcome] {
        var (outcomes, rollsBack) = ([RecordOutcome](), false)
        do throws(CaptureError) {
            try commit { database throws(DatabaseError) in
                var places: [RecordID: Int] = [:]
                for (index, edit) in edits.enumerated() {
                    outcomes.append(try apply(edit, index, to: kind, actor: actor, &places, in: database))
                }
                rollsBack = isTrial || !isPartial && outcomes.contains(where: \.isRefused)
                if rollsBack { throw DatabaseError(damage: "a change is not valid") }
            }
        } catch {
            guard rollsBack else { throw error }
        }
        return outcomes
    }

    /// - Parameter places: The records that were changed before, with the indexes of their changes.
    private func apply(
        _ edit: RecordEdit, _ index: Int, to kind: RecordKind, actor: String?, _ places: inout [RecordID: Int],
        in database: Database
    ) throws(DatabaseError) -> RecordOutcome {
        let fresh = kind.normalized(edit.applied(to: RecordContent()))
        let known = if let id = edit.id { id } else { try self.id(of: fresh, kind, in: database) }
        if let known, places[known] != nil {
            return .refused([RecordFault(nil, "is the same record as one before", advice: "remove one of the two")])
        }
        let result: Result<Record, RecordRefusal>
        var outcome = RecordOutcome.created
        if let known, let row = try row(known, in: database) {
            guard row.record.kind == kind.id else {
                return .refused([RecordFault(nil, "is a record of the kind \(row.record.kind)")])
            }
            guard !row.record.isTrashed else {
                return .refused([RecordFault(nil, "is in the trash", advice: "restore it first")])
            }
            let content = kind.normalized(edit.applied(to: row.record.content))
            outcome = content == row.record.content ? RecordOutcome.unchanged : RecordOutcome.changed
            result = try changed(known, from: row.record.revision, to: content, actor: actor, in: database)
        } else {
            result = try created(kind.id, fresh, id: known ?? .random(), actor: actor, in: database)
        }
        switch result {
        case .success(let record):
            places[record.id] = index
            return outcome(record.id)
        case .failure(.faults(let faults)): return .refused(faults)
        case .failure(.other(let error)): return .refused([RecordFault(nil, error.summary, advice: error.advice)])
        case .failure(.changed), .failure(.missing): return .refused([RecordFault(nil, "cannot be changed")])
        }
    }

    /// Returns the record with the key of a content; `nil` if there is none.
    private func id(
        of content: RecordContent, _ kind: RecordKind, in database: Database
    ) throws(DatabaseError) -> RecordID? {
        guard let key = kind.key, let value = content.values[key] else { return nil }
        let rows = try database.prepare(
            "SELECT record FROM unique_value WHERE kind = ? AND field = ? AND value = ? LIMIT 1",
            [.text(kind.id), .text(key), .text(value)])
        return try rows.next() ? RecordID(try rows.requiredText(0)) : nil
    }

    /// Calls `body` with all records of a kind that are not in the trash, the one that changed last at the end. All are
    /// of the same moment.
    package func eachRecord(
        of kind: String, _ body: (Record) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        var failure: CaptureError?
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT \(RecordRow.columns) FROM record WHERE kind = ? AND state = 'present' ORDER BY place",
                [.text(kind)])
            while failure == nil, try rows.next() {
                let record = try RecordRow.record(rows)
                do throws(CaptureError) { try body(record) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}
