// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

// The synchronization with a backend: listed, merged and sent versions. RecordStore+Conflicts.swift has the part for
// people.

/// A collection in the store.
struct SyncCollection: Sendable, Hashable {
    /// A change that the backend has listed.
    struct Witness: Sendable, Hashable {
        let id: RecordID
        let etag: Int
    }

    /// The ETag of the last pull; `nil` before the first one.
    var etag: Int?
    /// The last change of the last pull. Each list begins with it: a backend that does not list it was restored from an
    /// older copy, even if others have changed it since.
    var witness: Witness?
    /// The time of the last pull by this machine's clock, at most a day too early, in milliseconds since 1970.
    var pulled: Int64?
    var question: SyncQuestion?
    var answer: SyncAnswer?
}

/// The end of a pull.
struct SyncPull: Sendable, Hashable {
    let kind: String
    let isFull: Bool
    /// The ETag of the first page.
    let etag: Int
    /// The last change so far whose ETag is not larger.
    var witness: SyncCollection.Witness?
    /// `true` if a record cannot be read, not even its ID.
    var hasUnknown = false
    /// `true` if nothing is stored, because there was nothing new.
    var isQuiet = false
    /// The place of the next page.
    var next: RecordChanges.Next?
}

/// A record that is about to be pushed.
struct SyncItem: Sendable, Hashable {
    let id: RecordID
    let revision: Int
    /// The version to push.
    let copy: RecordCopy
    /// The ETag of the version that is replaced; `nil` if the backend has none.
    let etag: Int?
    /// The files that the backend may not have.
    let blobs: [RecordBlob]
}

/// A change of a record that came from the backend.
package struct SyncChange: Sendable, Hashable {
    package let id: RecordID
    /// `true` if a person has to choose.
    package let isConflict: Bool
}

// MARK: - Collections

extension RecordStore {
    /// The largest content that is stored, in bytes.
    private static let mostBytes = 512 << 10

    func collection(_ kind: String) throws(CaptureError) -> SyncCollection {
        try perform { database throws(DatabaseError) in try self.collection(kind, in: database) }
    }

    private func collection(_ kind: String, in database: Database) throws(DatabaseError) -> SyncCollection {
        let rows = try database.prepare(
            "SELECT etag, witness, witness_etag, pulled_ms, state, reason FROM collection WHERE kind = ?", [.text(kind)]
        )
        var collection = SyncCollection()
        guard try rows.next() else { return collection }
        (collection.etag, collection.pulled) = (try rows.integer(0).map(Int.init), try rows.integer(3))
        if let id = try rows.text(1).flatMap(RecordID.init), let etag = try rows.integer(2) {
            collection.witness = SyncCollection.Witness(id: id, etag: Int(etag))
        }
        collection.question = try rows.text(5).flatMap(SyncQuestion.init(code:))
        collection.answer = SyncAnswer(rawValue: try rows.requiredText(4))
        return collection
    }

    /// Stores a question, and discards the listed changes.
    func ask(_ question: SyncQuestion, _ kind: String) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            try database.insert("DELETE FROM incoming WHERE kind = ?", [.text(kind)])
            try database.insert(
                """
                INSERT INTO collection(kind, state, reason) VALUES (?1, 'stopped', ?2)
                ON CONFLICT(kind) DO UPDATE SET state = 'stopped', reason = ?2
                """, [.text(kind), .text(question.code)])
        }
    }

    /// A number that changes when another connection changes the store.
    package func otherChanges() throws(CaptureError) -> Int64 {
        try perform { database throws(DatabaseError) in try database.number("PRAGMA data_version") ?? 0 }
    }

    /// Returns `true` if a record of a kind has to be pushed.
    func isDirty(_ kind: String) throws(CaptureError) -> Bool { try !dirty(kind, after: 0, most: 1).ids.isEmpty }

    /// Returns the records of a kind that have to be pushed, after a place, by their last change.
    func dirty(_ kind: String, after place: Int64, most: Int) throws(CaptureError) -> (ids: [RecordID], last: Int64) {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT id, place FROM record WHERE kind = ? AND sync = 'dirty' AND place > ?
                ORDER BY place LIMIT ?
                """, [.text(kind), .integer(place), .init(most)])
            var (ids, last) = ([RecordID](), place)
            while try rows.next() {
                guard let id = RecordID(try rows.requiredText(0)) else { throw rows.wrong(0) }
                ids.append(id)
                last = try rows.requiredInteger(1)
            }
            return (ids, last)
        }
    }
}

// MARK: - Listing

extension RecordStore {
    /// Discards the changes of an earlier list.
    func discardList(of kind: String) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            guard try database.number("SELECT 1 FROM incoming LIMIT 1") != nil else { return }
            _ = try database.insert("DELETE FROM incoming WHERE kind = ?", [.text(kind)])
        }
    }

    /// Stores a page of a list; after the last one, returns what it says.
    ///
    /// - Parameter pull: The pull, which takes the page.
    /// - Returns: The result of the list if the page is the last one, and the records that cannot be read.
    func stage(
        _ page: RecordChanges, _ pull: inout SyncPull, _ known: SyncCollection
    ) throws(CaptureError) -> (listing: SyncListing?, damaged: [RecordChanges.Damaged]) {
        var next = pull
        next.next = page.next
        var listing: SyncListing?
        var damaged = page.damaged
        if try isQuiet(page, pull, known) {
            next.isQuiet = true
            listing = SyncListing()
        } else {
            try commit { database throws(DatabaseError) in
                for record in page.records {
                    if let fault = try stage(record, pull.kind, in: database) { damaged.append(fault) }
                    if record.etag <= pull.etag, record.etag > next.witness?.etag ?? .min {
                        next.witness = SyncCollection.Witness(id: record.id, etag: record.etag)
                    }
                }
                for fault in page.damaged {
                    guard let id = fault.id else { continue }
                    try stage(id, 0, "damaged", nil, pull.kind, in: database)
                }
                next.hasUnknown = next.hasUnknown || page.damaged.contains { $0.id == nil }
                if page.next == nil {
                    listing = try finishList(next, known, in: database)
                    if page.hasGap, pull.etag > known.etag ?? 0 { listing?.isComplete = false }
                }
            }
        }
        pull = next
        return (listing, damaged)
    }

    /// `true` if a list has only the change that was the last one before.
    private func isQuiet(
        _ page: RecordChanges, _ pull: SyncPull, _ known: SyncCollection
    ) throws(CaptureError) -> Bool {
        guard !pull.isFull, pull.next == nil, page.next == nil, page.damaged.isEmpty, pull.etag == known.etag else {
            return false
        }
        let changes = page.records.map { SyncCollection.Witness(id: $0.id, etag: $0.etag) }
        guard page.isUnchanged || changes == (known.witness.map { [$0] } ?? []) else { return false }
        return try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT 1 FROM record WHERE kind = ? AND base_etag > ? LIMIT 1",
                [.text(pull.kind), .init(known.etag)])
            return try !rows.next()
        }
    }

    /// - Returns: The fault of a record that the store cannot have.
    private func stage(
        _ record: RemoteRecord, _ kind: String, in database: Database
    ) throws(DatabaseError) -> RecordChanges.Damaged? {
        let known = try row(record.id, in: database)
        if let known, record.content != nil, known.has(record) {
            try stage(record.id, record.etag, "same", nil, kind, in: database)
            return nil
        }
        let text = record.content?.json.text
        let reason: String? =
            if let content = record.content, let text, !content.isStorable(text, most: Self.mostBytes) {
                "its content is too large, or has a name without a character"
            } else if let known, known.record.kind != kind {
                "a record of the kind \(known.record.kind) has its ID"
            } else {
                nil
            }
        if let reason {
            try stage(record.id, record.etag, "damaged", nil, kind, in: database)
            return RecordChanges.Damaged(id: record.id, reason: reason)
        }
        try stage(record.id, record.etag, text == nil ? "deleted" : "present", text, kind, in: database)
        return nil
    }

    private func stage(
        _ id: RecordID, _ etag: Int, _ state: String, _ content: String?, _ kind: String, in database: Database
    ) throws(DatabaseError) {
        try database.insert(
            "INSERT OR REPLACE INTO incoming(kind, record, etag, state, content) VALUES (?, ?, ?, ?, ?)",
            [.text(kind), .text(id.description), .init(etag), .text(state), .init(content)])
    }

    /// Compares a complete list with the records here.
    private func finishList(
        _ pull: SyncPull, _ known: SyncCollection, in database: Database
    ) throws(DatabaseError) -> SyncListing {
        let kind = DatabaseValue.text(pull.kind)
        func count(_ text: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> Int {
            let rows = try database.prepare("SELECT count(*) FROM " + text, [kind] + values)
            return try rows.next() ? Int(try rows.requiredInteger(0)) : 0
        }
        var listing = SyncListing()
        let older = try count(
            """
            incoming JOIN record ON record.id = incoming.record WHERE incoming.kind = ?
            AND incoming.state IN ('present', 'deleted') AND incoming.etag < record.base_etag
            """)
        listing.isOlder = older > 0 || pull.etag < known.etag ?? 0
        if pull.isFull {
            listing.present = try count("incoming WHERE kind = ? AND state <> 'deleted'")
            if !pull.hasUnknown {
                // The backend may have forgotten that they were deleted.
                try database.insert(
                    """
                    INSERT INTO incoming(kind, record, etag, state)
                    SELECT ?1, id, ?2, 'missing' FROM record WHERE kind = ?1 AND base IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM incoming WHERE kind = ?1 AND record = record.id)
                    """, [kind, .init(pull.etag)])
                listing.missing = try count("incoming WHERE kind = ? AND state = 'missing'")
            }
        } else if !pull.hasUnknown {
            let isShown = try known.witness.map { witness throws(DatabaseError) in
                try count(
                    "incoming WHERE kind = ? AND record = ? AND (etag >= ? OR state = 'damaged')",
                    [.text(witness.id.description), .init(witness.etag)]) > 0
            }
            // Each push since the last pull is listed, too.
            let lost = try count(
                """
                record WHERE kind = ?1 AND base_etag > ?2 AND NOT EXISTS (
                    SELECT 1 FROM incoming WHERE kind = ?1 AND record = record.id
                    AND (etag >= record.base_etag OR state = 'damaged'))
                """, [.init(known.etag)])
            listing.isComplete = (isShown ?? true) && lost == 0
        }
        listing.deletions = try count(
            """
            incoming JOIN record ON record.id = incoming.record WHERE incoming.kind = ?
            AND incoming.state IN ('deleted', 'missing') AND record.state = 'present' AND record.base IS NOT NULL
            """)
        if listing.deletions > 0 || pull.isFull {
            listing.known = try count("record WHERE kind = ? AND base IS NOT NULL")
        }
        return listing
    }
}

// MARK: - Merging

extension RecordStore {
    /// Merges listed changes in one transaction; that of the last ones also stores the ETag of the pull.
    ///
    /// - Parameters:
    ///   - answer: The answer of a person, if there was a question.
    ///   - most: The maximum number of changes.
    ///   - now: The time of day, in milliseconds since 1970.
    /// - Returns: The records that changed here, and `true` if there are no more.
    func merge(
        _ pull: SyncPull, _ known: SyncCollection, _ answer: SyncAnswer?, most: Int, at now: Int64
    ) throws(CaptureError) -> (changes: [SyncChange], isLast: Bool) {
        if pull.isQuiet {
            // Without a change, the time is stored once a day.
            let age = now - (known.pulled ?? 0)
            if !(0...86_400_000).contains(age) {
                try commit { database throws(DatabaseError) in try finish(pull, now, in: database) }
            }
            return ([], true)
        }
        return try commit { database throws(DatabaseError) in
            try database.insert(
                "DELETE FROM incoming WHERE kind = ? AND state IN ('same', 'damaged')", [.text(pull.kind)])
            let listed = try listed(pull.kind, most: most, in: database)
            var changes: [SyncChange] = []
            for incoming in listed {
                let theirs = incoming.record
                let row = try row(theirs.id, in: database)
                let change = try take(incoming, row, pull.kind, answer.map { ($0, known) }, in: database)
                if let change { changes.append(change) }
                try database.insert(
                    "DELETE FROM incoming WHERE kind = ? AND record = ?",
                    [.text(pull.kind), .text(theirs.id.description)])
            }
            let isLast = listed.count < most
            if isLast {
                if answer == .push { try markTrashSent(pull.kind, in: database) }
                try finish(pull, now, in: database)
            }
            return (changes, isLast)
        }
    }

    private func listed(_ kind: String, most: Int, in database: Database) throws(DatabaseError) -> [Incoming] {
        let rows = try database.prepare(
            "SELECT record, etag, content, state FROM incoming WHERE kind = ? ORDER BY etag LIMIT ?",
            [.text(kind), .init(most)])
        var listed: [Incoming] = []
        while try rows.next() {
            guard let id = RecordID(try rows.requiredText(0)) else { throw rows.wrong(0) }
            let content = try rows.text(2).map { text throws(DatabaseError) in try RecordRow.content(text, of: id) }
            let record = RemoteRecord(id: id, etag: Int(try rows.requiredInteger(1)), content: content)
            listed.append(Incoming(record: record, isMissing: try rows.requiredText(3) == "missing"))
        }
        return listed
    }

    /// A version of the backend that was listed.
    private struct Incoming {
        let record: RemoteRecord
        /// `true` if a full list does not have the record: it is deleted, or lost.
        var isMissing = false

        /// `true` if the version is older than the loss that a person was asked about, or is that loss.
        func isLost(_ before: SyncCollection) -> Bool {
            if record.content == nil, case .deletions = before.question { return true }
            return isMissing || record.etag <= before.etag ?? 0
        }
    }

    private func finish(_ pull: SyncPull, _ now: Int64, in database: Database) throws(DatabaseError) {
        try database.insert(
            "INSERT OR REPLACE INTO collection(kind, etag, witness, witness_etag, pulled_ms) VALUES (?, ?, ?, ?, ?)",
            [
                .text(pull.kind), .init(pull.etag), .init(pull.witness?.id.description), .init(pull.witness?.etag),
                .integer(now),
            ])
    }

    /// Merges a version of the backend.
    ///
    /// - Parameter answer: The answer of a person, and the collection before the question.
    private func take(
        _ incoming: Incoming, _ row: RecordRow?, _ kind: String, _ answer: (SyncAnswer, before: SyncCollection)?,
        in database: Database
    ) throws(DatabaseError) -> SyncChange? {
        let theirs = incoming.record
        guard var row else { return try create(theirs, kind, in: database) }
        guard !row.has(theirs) else { return nil }
        let isPush = answer?.0 == .push
        let copy = theirs.content.map(RecordCopy.present) ?? .deleted
        let conflicts = try conflicts(of: theirs.id, in: database)
        var sent = try sent(theirs.id, in: database)
        let merge: RecordMerge
        if isPush, let before = answer?.before {
            // A loss is no change of the backend. A later version can be an old one that another device has pushed
            // again, or a change of it: its base is not known.
            sent.formUnion(try copies(theirs.id, in: database))
            let base = incoming.isLost(before) ? copy : .absent
            merge = RecordMerge(base: base, sent: sent, mine: row.record.copy, theirs: copy)
        } else {
            merge = RecordMerge(base: row.baseCopy.before(conflicts), sent: sent, mine: row.record.copy, theirs: copy)
        }
        let kept = isPush && merge.conflicts.isEmpty ? conflicts : merge.conflicts
        (row.base, row.baseETag) = (theirs.content, theirs.etag)
        let isChanged = merge.copy != row.record.copy
        if isChanged { row.record.become(merge.copy, at: self.now) }
        row.sync = kept.isEmpty ? (row.isAtBase ? .clean : .dirty) : .conflict
        row.reason = nil
        try replaceConflicts(of: theirs.id, kept, etag: theirs.etag, in: database)
        try database.insert("DELETE FROM sent WHERE record = ?", [.text(theirs.id.description)])
        if isChanged { try put(row, in: database) } else { try putSync(row, in: database) }
        // Another device may push one of them again.
        if isPush, row.sync != .clean || row.record.isTrashed { try markVersionsSent(theirs.id, in: database) }
        let isConflict = !kept.isEmpty && kept != conflicts
        return isChanged || isConflict ? SyncChange(id: theirs.id, isConflict: isConflict) : nil
    }

    private func create(
        _ theirs: RemoteRecord, _ kind: String, in database: Database
    ) throws(DatabaseError) -> SyncChange? {
        guard let content = theirs.content else { return nil }
        var row = RecordRow(Record(id: theirs.id, kind: kind, content: content, revision: 1, changed: now))
        (row.base, row.baseETag, row.sync) = (content, theirs.etag, .clean)
        try put(row, in: database)
        return SyncChange(id: theirs.id, isConflict: false)
    }

    /// Writes only the relation of a record to the backend.
    func putSync(_ row: RecordRow, in database: Database) throws(DatabaseError) {
        try database.insert(
            "UPDATE record SET base = ?, base_etag = ?, sync = ?, reason = ? WHERE id = ?",
            [
                .init(row.base?.json.text), .init(row.baseETag), .text(row.sync.rawValue), .init(row.reason),
                .text(row.record.id.description),
            ])
    }
}

// MARK: - Pushing

extension RecordStore {
    /// Returns the version of a record that has to be pushed; `nil` if there is none.
    func item(_ id: RecordID) throws(CaptureError) -> SyncItem? {
        let found = try perform { database throws(DatabaseError) -> (RecordRow, isSent: Bool)? in
            guard let row = try row(id, in: database), row.sync == .dirty else { return nil }
            return (row, try !sent(id, in: database).isEmpty)
        }
        guard let (row, isSent) = found else { return nil }
        let isNothing = row.record.isTrashed ? row.base == nil : row.isAtBase && !isSent
        guard !isNothing else {
            try commit { database throws(DatabaseError) in
                guard var now = try self.row(id, in: database), now == row else { return }
                now.sync = .clean
                try putSync(now, in: database)
            }
            return nil
        }
        let known = row.base?.hashes ?? []
        let blobs = row.record.isTrashed ? [] : row.record.content.blobs.filter { !known.contains($0.sha256) }
        return SyncItem(
            id: id, revision: row.record.revision, copy: row.record.copy, etag: row.base == nil ? nil : row.baseETag,
            blobs: blobs)
    }

    /// Remembers that the backend may have a version, before it is sent: an answer can be lost.
    func markSent(_ item: SyncItem) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            _ = try database.insert(
                "INSERT OR REPLACE INTO sent(record, revision, content) VALUES (?, ?, ?)",
                [.text(item.id.description), .init(item.revision), .init(item.copy.content?.json.text)])
        }
    }

    /// The backend has the version. A change that was made meanwhile is pushed later.
    func endPush(_ item: SyncItem, etag: Int) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            guard var row = try row(item.id, in: database) else { return }
            (row.base, row.baseETag, row.reason) = (item.copy.content, etag, nil)
            row.sync = row.isAtBase ? .clean : .dirty
            try putSync(row, in: database)
            try database.insert("DELETE FROM sent WHERE record = ?", [.text(item.id.description)])
        }
    }

    /// Merges the version that the backend has instead of the one that a push expected.
    ///
    /// - Returns: `nil` if only a pull can show the version.
    func merge(
        _ theirs: RemoteRecord, instead item: SyncItem, _ kind: String
    ) throws(CaptureError) -> (change: SyncChange?, isDirty: Bool)? {
        guard theirs.id == item.id, theirs.content?.isStorable(most: Self.mostBytes) ?? true else { return nil }
        return try commit { database throws(DatabaseError) -> (change: SyncChange?, isDirty: Bool)? in
            guard let row = try row(item.id, in: database), theirs.etag >= row.baseETag ?? 0 else { return nil }
            let change = try take(Incoming(record: theirs), row, kind, nil, in: database)
            return (change, try self.row(item.id, in: database)?.sync == .dirty)
        }
    }

    /// The backend refuses the version. A later change is pushed again.
    func refuse(_ item: SyncItem, _ reason: String) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            try database.insert(
                "DELETE FROM sent WHERE record = ? AND revision = ?",
                [.text(item.id.description), .init(item.revision)])
            guard var row = try row(item.id, in: database), row.record.revision == item.revision else { return }
            (row.sync, row.reason) = (.refused, reason)
            try putSync(row, in: database)
        }
    }

    /// Returns the versions that the backend may have taken without an answer.
    private func sent(_ id: RecordID, in database: Database) throws(DatabaseError) -> Set<RecordCopy> {
        try copies("SELECT content FROM sent WHERE record = ?", id, in: database)
    }

    /// Returns all versions of a record.
    private func copies(_ id: RecordID, in database: Database) throws(DatabaseError) -> Set<RecordCopy> {
        try copies(
            "SELECT CASE state WHEN 'present' THEN content END FROM version WHERE record = ?", id, in: database)
    }

    private func copies(_ text: String, _ id: RecordID, in database: Database) throws(DatabaseError) -> Set<RecordCopy>
    {
        let rows = try database.prepare(text, [.text(id.description)])
        var copies: Set<RecordCopy> = []
        while try rows.next() {
            let content = try rows.text(0).map { text throws(DatabaseError) in try RecordRow.content(text, of: id) }
            copies.insert(content.map(RecordCopy.present) ?? .deleted)
        }
        return copies
    }

    /// Remembers all versions of the records in the trash that the backend knew to be deleted: another device may push
    /// one of them again after a loss, which must not undo the deletion.
    private func markTrashSent(_ kind: String, in database: Database) throws(DatabaseError) {
        try database.insert(
            """
            INSERT OR IGNORE INTO sent(record, revision, content)
            SELECT version.record, version.revision, CASE version.state WHEN 'present' THEN version.content END
            FROM record JOIN version ON version.record = record.id
            WHERE record.kind = ? AND record.state = 'trash' AND record.base IS NULL
            """, [.text(kind)])
    }

    /// Remembers all versions of a record as ones that the backend may have.
    private func markVersionsSent(_ id: RecordID, in database: Database) throws(DatabaseError) {
        try database.insert(
            """
            INSERT OR IGNORE INTO sent(record, revision, content)
            SELECT record, revision, CASE state WHEN 'present' THEN content END FROM version WHERE record = ?
            """, [.text(id.description)])
    }
}

// MARK: - Values

extension RecordRow {
    /// `true` if the version of the backend is the one that this device knows.
    fileprivate func has(_ theirs: RemoteRecord) -> Bool { baseETag == theirs.etag && base == theirs.content }

    /// The version that this device and the backend shared.
    var baseCopy: RecordCopy { base.map(RecordCopy.present) ?? (baseETag == nil ? .absent : .deleted) }
}

extension Record {
    /// The version for a merge.
    var copy: RecordCopy { isTrashed ? .deleted : .present(content) }

    /// Takes a merged version. A record that is deleted keeps its content in the trash.
    mutating func become(_ copy: RecordCopy, at time: WallTime) {
        isTrashed = copy == .deleted
        if let content = copy.content { self.content = content }
        (revision, changed, actor) = (revision + 1, time, nil)
    }
}

extension RecordContent {
    /// `true` if the store can have the content, and its parts can be named.
    fileprivate func isStorable(_ text: String? = nil, most: Int) -> Bool {
        let text = text ?? json.text
        guard text.utf8.count <= most, parts.allSatisfy({ !$0.name.isEmpty }) else { return false }
        return (try? RecordContent(text, path: "")) == self
    }
}
