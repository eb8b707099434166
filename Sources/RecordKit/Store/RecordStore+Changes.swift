// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

// The changes of people. Each is one durable transaction with its version, and marks the record for the backend.

extension RecordStore {
    /// Returns all reasons why a content is not valid, as a change with it would:
    /// ``RecordKind/faults(in:over:isTaken:)``
    /// with the values of other records, and pictures that are not in the store.
    ///
    /// - Parameter id: The record that would get the content; `nil` for a new one.
    package func faults(
        _ content: RecordContent, of kind: RecordKind, for id: RecordID?
    ) throws(CaptureError) -> [RecordFault] {
        try perform { database throws(DatabaseError) in
            let previous = try id.map { id throws(DatabaseError) in try row(id, in: database) } ?? nil
            return try faults(kind.normalized(content), of: kind, for: id, over: previous?.record.content, in: database)
        }
    }

    /// Creates a record.
    ///
    /// - Throws: ``RecordRefusal/changed(_:)`` if a record has this ID.
    @discardableResult
    package func create(
        _ kind: String, _ content: RecordContent, id: RecordID = .random(), actor: String? = nil
    ) throws(RecordRefusal) -> Record {
        try change { store, database throws(DatabaseError) in
            try store.created(kind, content, id: id, actor: actor, in: database)
        }
    }

    /// Gives a record another content. The same content makes no new version.
    ///
    /// - Parameter revision: The version that the change was made of; another one refuses it.
    @discardableResult
    package func change(
        _ id: RecordID, from revision: Int, to content: RecordContent, actor: String? = nil
    ) throws(RecordRefusal) -> Record {
        try change { store, database throws(DatabaseError) in
            try store.changed(id, from: revision, to: content, actor: actor, in: database)
        }
    }

    /// Moves a record into the trash. One that is there stays unchanged.
    @discardableResult
    package func trash(_ id: RecordID, from revision: Int, actor: String? = nil) throws(RecordRefusal) -> Record {
        try change { store, database throws(DatabaseError) in
            try store.moved(id, from: revision, isTrashed: true, actor: actor, in: database)
        }
    }

    /// Moves a record out of the trash, with its last content or that of an earlier version. It is refused if another
    /// record has one of its unique values by now.
    ///
    /// - Parameter version: The number of the version whose content it gets; `nil` for the last one.
    @discardableResult
    package func restore(
        _ id: RecordID, version: Int? = nil, from revision: Int, actor: String? = nil
    ) throws(RecordRefusal) -> Record {
        try change { store, database throws(DatabaseError) in
            try store.moved(id, from: revision, isTrashed: false, version: version, actor: actor, in: database)
        }
    }

    /// Erases a record with its history for good, and the pictures that no other record has.
    ///
    /// A backend is not told: erase only records that it does not have, or that it knows to be deleted.
    package func purge(_ id: RecordID) throws(RecordRefusal) {
        let isKnown: Bool
        do throws(CaptureError) {
            let hashes = try commit { database throws(DatabaseError) in try erase(id, in: database) }
            isKnown = hashes != nil
            try removeUnused(hashes ?? [])
        } catch {
            throw .other(error)
        }
        guard isKnown else { throw .missing }
    }

    /// Erases a record with its history.
    ///
    /// - Returns: The hashes of its pictures, to be removed after the transaction: a crash must not leave the record
    ///   without them. `nil` if there is no such record.
    func erase(_ id: RecordID, in database: Database) throws(DatabaseError) -> [String]? {
        guard let kind = try row(id, in: database)?.record.kind else { return nil }
        let rows = try database.prepare(
            "SELECT DISTINCT sha256 FROM blob_use WHERE record = ?", [.text(id.description)])
        var hashes: [String] = []
        while try rows.next() { hashes.append(try rows.requiredText(0)) }
        try remove(id, in: database)
        try noteUnused(hashes, of: kind, in: database)
        return hashes
    }

    /// Removes the pictures among these that no record has.
    func removeUnused(_ hashes: [String]) throws(CaptureError) {
        for sha256 in hashes {
            try blobs.remove(sha256) { remove throws(CaptureError) in try ifUnused(sha256, remove) }
        }
    }

    /// Calls `body` if no record has a picture. No program can give it to a record meanwhile.
    func ifUnused(_ sha256: String, _ body: () -> Void) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            if try !isUsed(sha256, in: database) { body() }
        }
    }

    /// Returns `true` if a version of a record has a picture.
    func isUsed(_ sha256: String, in database: Database) throws(DatabaseError) -> Bool {
        let rows = try database.prepare("SELECT 1 FROM blob_use WHERE sha256 = ? LIMIT 1", [.text(sha256)])
        return try rows.next()
    }

    /// Calls `body` in a transaction.
    private func change(
        _ body: (RecordStore, Database) throws(DatabaseError) -> Result<Record, RecordRefusal>
    ) throws(RecordRefusal) -> Record {
        let result: Result<Record, RecordRefusal>
        do throws(CaptureError) {
            // A refusal has written nothing.
            result = try commit { database throws(DatabaseError) in try body(self, database) }
        } catch {
            throw .other(error)
        }
        return try result.get()
    }
}

// MARK: - In a transaction

extension RecordStore {
    func created(
        _ kind: String, _ content: RecordContent, id: RecordID, actor: String?, in database: Database
    ) throws(DatabaseError) -> Result<Record, RecordRefusal> {
        if let row = try row(id, in: database) { return .failure(.changed(row.record)) }
        guard let kind = self.kind(kind) else { return .failure(.unknownKind(kind, kinds)) }
        let content = kind.normalized(content)
        let faults = try faults(content, of: kind, for: id, over: nil, in: database)
        guard faults.isEmpty else { return .failure(.faults(faults)) }
        var record = Record(id: id, kind: kind.id, content: content, revision: 1, changed: now)
        record.actor = actor
        try put(RecordRow(record), in: database)
        return .success(record)
    }

    func changed(
        _ id: RecordID, from revision: Int, to content: RecordContent, actor: String?, in database: Database
    ) throws(DatabaseError) -> Result<Record, RecordRefusal> {
        guard var row = try row(id, in: database), !row.record.isTrashed else { return .failure(.missing) }
        guard row.record.revision == revision else { return .failure(.changed(row.record)) }
        guard let kind = kind(row.record.kind) else { return .failure(.unknownKind(row.record.kind, kinds)) }
        let content = kind.normalized(content)
        guard content != row.record.content else { return .success(row.record) }
        let faults = try faults(content, of: kind, for: id, over: row.record.content, in: database)
        guard faults.isEmpty else { return .failure(.faults(faults)) }
        row.record.content = content
        return .success(try store(&row, actor: actor, in: database))
    }

    private func moved(
        _ id: RecordID, from revision: Int, isTrashed: Bool, version: Int? = nil, actor: String?, in database: Database
    ) throws(DatabaseError) -> Result<Record, RecordRefusal> {
        guard var row = try row(id, in: database) else { return .failure(.missing) }
        guard row.record.revision == revision else { return .failure(.changed(row.record)) }
        var content = row.record.content
        if let version {
            guard let found = try self.content(of: id, version: version, in: database) else {
                return .failure(.missing)
            }
            content = found
        }
        guard row.record.isTrashed != isTrashed || row.record.content != content else { return .success(row.record) }
        if !isTrashed, let kind = kind(row.record.kind) {
            // A kind that has changed meanwhile must not make it impossible to get a record back.
            let faults = try takenFields(content, of: kind, for: id, in: database).sorted().map(RecordFault.taken)
            guard faults.isEmpty else { return .failure(.faults(faults)) }
        }
        (row.record.content, row.record.isTrashed) = (content, isTrashed)
        return .success(try store(&row, actor: actor, in: database))
    }

    /// Stores the next version of a row.
    private func store(
        _ row: inout RecordRow, actor: String?, in database: Database
    ) throws(DatabaseError) -> Record {
        row.record.revision += 1
        (row.record.changed, row.record.actor) = (now, actor)
        row.markChanged()
        try put(row, in: database)
        return row.record
    }

    /// Moves a record into the trash, as no person did.
    func trashed(_ row: RecordRow, in database: Database) throws(DatabaseError) {
        var row = row
        row.record.isTrashed = true
        _ = try store(&row, actor: nil, in: database)
    }

    private func content(
        of id: RecordID, version: Int, in database: Database
    ) throws(DatabaseError) -> RecordContent? {
        let rows = try database.prepare(
            "SELECT content FROM version WHERE record = ? AND revision = ?", [.text(id.description), .init(version)])
        return try rows.next() ? try RecordRow.content(try rows.requiredText(0), of: id) : nil
    }

    func faults(
        _ content: RecordContent, of kind: RecordKind, for id: RecordID?, over previous: RecordContent?,
        in database: Database
    ) throws(DatabaseError) -> [RecordFault] {
        let taken = try takenFields(content, of: kind, for: id, in: database)
        return kind.faults(in: content, over: previous) { field, _ in taken.contains(field) }
            + missingPictures(content, over: previous)
    }

    /// Returns the fields whose unique values another record has.
    private func takenFields(
        _ content: RecordContent, of kind: RecordKind, for id: RecordID?, in database: Database
    ) throws(DatabaseError) -> Set<String> {
        var taken: Set<String> = []
        for (field, value) in kind.uniqueValues(of: content) {
            let rows = try database.prepare(
                "SELECT 1 FROM unique_value WHERE kind = ? AND field = ? AND value = ? AND record <> ? LIMIT 1",
                [.text(kind.id), .text(field), .text(value), .text(id?.description ?? "")])
            if try rows.next() { taken.insert(field) }
        }
        return taken
    }

    /// Pictures that a change adds have to be in the store; those that a backend has brought may still be there alone.
    private func missingPictures(_ content: RecordContent, over previous: RecordContent?) -> [RecordFault] {
        let known = Set(previous?.blobs ?? [])
        return content.sides.sorted { $0.key < $1.key }.compactMap { name, picture in
            let files = [picture.file] + (picture.origin.map { [$0.file] } ?? [])
            let isMissing = files.contains { !known.contains($0) && blobs.blob($0.sha256) != $0 }
            return isMissing ? RecordFault(.side(name), "has a picture that is not in the store") : nil
        }
    }
}

extension RecordRefusal {
    static func unknownKind(_ kind: String, _ kinds: [RecordKind]) -> RecordRefusal {
        let near = Spelling.nearest(to: kind, among: kinds.map(\.id)).map { "did you mean \($0)?" }
        let names = kinds.map(\.id).joined(separator: ", ")
        let advice = names.isEmpty ? "write its file into the folder records of your presets" : "use one of \(names)"
        return .other(
            CaptureError(
                .noInput, "there is no such kind of records", subject: kind.quoted, advice: near ?? advice))
    }
}
