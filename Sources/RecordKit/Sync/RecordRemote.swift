// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The collections and the pictures of a backend.
///
/// Each change of a collection gets an ETag: a number that is larger than all before it in this collection. Any task may
/// call any function; a call ends soon after its task is canceled.
package protocol RecordRemote: Sendable {
    /// Returns one page of the changes of a collection, in their order.
    ///
    /// - Parameters:
    ///   - kind: The ID of a kind, which is the name of the collection.
    ///   - etag: The ETag of the last complete pull; `nil` for all records that exist, without deleted ones.
    ///   - page: ``RecordChanges/next`` of the page before; `nil` for the first page.
    func changes(
        of kind: String, since etag: Int?, page: RecordChanges.Next?
    ) async throws(RecordRemoteFault) -> RecordChanges

    /// Creates or replaces a record.
    ///
    /// - Parameter etag: The ETag of the version that is replaced; `nil` for a record that the backend does not have.
    /// - Returns: The ETag of the new version.
    /// - Throws: ``RecordRemoteFault/changed(_:)`` if the backend has another version.
    func put(
        _ id: RecordID, _ content: RecordContent, of kind: String, over etag: Int?
    ) async throws(RecordRemoteFault) -> Int

    /// Deletes a record.
    ///
    /// - Parameter etag: The ETag of the version that is deleted.
    /// - Returns: The ETag of the deletion.
    /// - Throws: ``RecordRemoteFault/changed(_:)`` if the backend has another version, and
    ///   ``RecordRemoteFault/missing(_:)`` if it has none: the record is deleted already.
    func delete(_ id: RecordID, of kind: String, over etag: Int) async throws(RecordRemoteFault) -> Int

    /// Returns `true` if the backend has a file.
    ///
    /// - Parameter sha256: The SHA-256 of the file, as in ``RecordBlob/sha256``.
    func hasBlob(_ sha256: String) async throws(RecordRemoteFault) -> Bool

    /// Stores a file at the backend. A file that is there already is success.
    ///
    /// - Throws: ``RecordRemoteFault/refused(_:)`` also if the file at `path` is missing, or has another content.
    func putBlob(_ path: String, _ blob: RecordBlob) async throws(RecordRemoteFault)

    /// Fetches a file. It is at `path`, complete and durable, on return; until then, nothing is.
    ///
    /// - Throws: ``RecordRemoteFault/missing(_:)`` if the backend does not have it, and
    ///   ``RecordRemoteFault/damaged(_:)`` if its content is not that of the blob.
    func getBlob(_ blob: RecordBlob, to path: String) async throws(RecordRemoteFault)

    /// `true` if files that no record has any more have to be erased; `false` if the backend does this itself.
    var needsErasure: Bool { get }

    /// Erases a file. A file that is missing is success.
    func eraseBlob(_ sha256: String) async throws(RecordRemoteFault)
}

/// A version of a record at a backend.
package struct RemoteRecord: Sendable, Hashable {
    package let id: RecordID
    /// The ETag of the version.
    package let etag: Int
    /// The content; `nil` if the record was deleted.
    package let content: RecordContent?

    package init(id: RecordID, etag: Int, content: RecordContent?) {
        (self.id, self.etag, self.content) = (id, etag, content)
    }
}

/// A page of the changes of a collection.
package struct RecordChanges: Sendable, Hashable {
    /// The place of the next page.
    package struct Next: Sendable, Hashable {
        /// The query of the backend's address for the page.
        package let query: String
        /// The ETag of the pull: ``RecordChanges/etag`` of the first page.
        package let etag: Int
        /// The ETag of the last change before the page.
        package let last: Int
        /// The number of pages before it.
        package let number: Int

        package init(query: String, etag: Int, last: Int, number: Int) {
            (self.query, self.etag, self.last, self.number) = (query, etag, last, number)
        }
    }

    /// A record that cannot be read.
    package struct Damaged: Error, Sendable, Hashable {
        /// The ID; `nil` if it cannot be read, either.
        package let id: RecordID?
        /// The reason, as a clause in words.
        package let reason: String

        package init(id: RecordID?, reason: String) { (self.id, self.reason) = (id, reason) }
    }

    /// The records and deletions, by increasing ETag. A record occurs in two pages if it changes meanwhile.
    package var records: [RemoteRecord]
    /// The records that cannot be read. They hold nothing up.
    package var damaged: [Damaged]
    /// The ETag from which the next pull continues, once all pages of this one are stored. It is that of the first page:
    /// what changes during a pull is listed in the next one again. It is lower than that of the last pull if the backend
    /// was restored from an older copy.
    package var etag: Int
    /// The next page; `nil` after the last one.
    package var next: Next?
    /// `true` if nothing changed since the last pull.
    package var isUnchanged: Bool
    /// `true` on the last page if the ETag has grown beyond all changes of the list: the backend has lost changes. Its
    /// collection was dropped and created again, or it has forgotten deletions. Only a list of all records, without an ETag,
    /// shows what it has.
    package var hasGap: Bool

    package init(
        records: [RemoteRecord] = [], damaged: [Damaged] = [], etag: Int, next: Next? = nil, isUnchanged: Bool = false,
        hasGap: Bool = false
    ) {
        (self.records, self.damaged, self.etag, self.next) = (records, damaged, etag, next)
        (self.isUnchanged, self.hasGap) = (isUnchanged, hasGap)
    }
}

/// Why a request to a backend failed. Each reason is a clause in words, such as `the server does not answer`.
package enum RecordRemoteFault: Error, Sendable, Hashable {
    /// The backend cannot be reached, or has no time (408, 409, 425, 429, 5xx); at the earliest after the pause that it
    /// asks for. A change may have been made although its answer was lost.
    case temporary(String, pause: Duration?)
    /// The backend refuses this record or file, now and later (400, 403, 413, 422).
    case refused(String)
    /// The backend refuses the credentials or the collection (401, 403), or is another one than expected: a person has to
    /// act.
    case unauthorized(String)
    /// The backend has another version of the record (412). `nil` if the answer does not show it: the record was deleted,
    /// or the next pull has it.
    case changed(RemoteRecord?)
    /// The answer is not what the protocol says.
    case damaged(String)
    /// The backend does not have the collection, the record or the file (404).
    case missing(String)
    /// The task was canceled.
    case canceled

    /// The reason in words.
    package var reason: String {
        switch self {
        case .temporary(let text, _), .refused(let text), .unauthorized(let text), .damaged(let text),
            .missing(let text):
            text
        case .changed: "the backend has another version of the record"
        case .canceled: "canceled"
        }
    }
}
