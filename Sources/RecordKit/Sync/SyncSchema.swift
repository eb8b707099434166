// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The tables of the synchronization.
///
/// `incoming` has the changes that were listed and not merged yet. `sent` has the versions of a record that the backend
/// may have taken without an answer. `collection` has the ETag of the last pull with its last change, and the question
/// of a stopped collection in `reason`; `state` is the answer.
///
/// `requested_blob` has the pictures that viewers request, and those that the backend does not have. `unused_blob` has those that
/// no record has any more, and that the backend may have to erase.
enum SyncSchema {
    static let creation = """
        CREATE TABLE collection(
            kind TEXT NOT NULL PRIMARY KEY, etag INTEGER, witness TEXT, witness_etag INTEGER, pulled_ms INTEGER,
            state TEXT NOT NULL DEFAULT 'idle', reason TEXT) STRICT, WITHOUT ROWID;
        CREATE TABLE incoming(
            kind TEXT NOT NULL, record TEXT NOT NULL, etag INTEGER NOT NULL,
            state TEXT NOT NULL CHECK(state IN ('same', 'present', 'deleted', 'missing', 'damaged')), content TEXT,
            PRIMARY KEY(kind, record)) STRICT, WITHOUT ROWID;
        CREATE INDEX incoming_by_etag ON incoming(kind, etag);
        CREATE TABLE sent(
            record TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT, PRIMARY KEY(record, revision)) STRICT;
        CREATE INDEX record_by_etag ON record(kind, base_etag) WHERE base_etag IS NOT NULL;

        """

    /// The tables of version 2.
    static let pictures = """
        CREATE TABLE requested_blob(
            sha256 TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL CHECK(state IN ('requested', 'missing')),
            changed_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE unused_blob(sha256 TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

        """
}
