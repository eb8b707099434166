// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The tables of a store of records.
///
/// `place` numbers the changes of all records: the record that changed last has the largest one. Lists are in this
/// order, so that clocks that are wrong do not change it. `words` has the values that are not personal, in the row of
/// the record's place, with its kind and state as one word (``RecordWords``); `plain_words` has all values. `blob_use`
/// has each file of each version, and with the revision 0 those of conflicts. `tally` counts the records; triggers keep
/// it.
///
/// `base` is the content that this board and the backend had in common last, with its ETag; a record that is new, or
/// that was deleted on both, has no content there.
enum RecordSchema {
    static let version: Int64 = 2
    /// Distinguishes a store of records from other SQLite files: `gstR` (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x6773_7452

    /// Creates the tables in an empty file, and rejects other files.
    static func prepare(_ database: Database) throws(DatabaseError) {
        try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        let application = try database.number("PRAGMA application_id") ?? 0
        if application == 0, try database.number("SELECT count(*) FROM sqlite_schema") == 0 {
            return try database.transaction { () throws(DatabaseError) in try database.run(creation) }
        }
        try check(database)
        guard try database.number("PRAGMA user_version") != version else { return }
        try database.transaction { () throws(DatabaseError) in
            try database.run(SyncSchema.pictures + "PRAGMA user_version = \(version)")
        }
    }

    /// Rejects files other than a store of this version or of the one before, which can be read as well.
    static func check(_ database: Database) throws(DatabaseError) {
        guard try database.number("PRAGMA application_id") == applicationID else {
            throw DatabaseError(damage: "it is not a store of records")
        }
        let found = try database.number("PRAGMA user_version") ?? 0
        guard (1...version).contains(found) else {
            throw DatabaseError(damage: "it is of version \(found), this program's is \(version)")
        }
    }

    private static let creation = """
        CREATE TABLE record(
            id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, key_text TEXT, content TEXT NOT NULL,
            revision INTEGER NOT NULL CHECK(revision > 0), state TEXT NOT NULL CHECK(state IN ('present', 'trash')),
            place INTEGER NOT NULL UNIQUE, changed_ns INTEGER NOT NULL, zone INTEGER NOT NULL, actor TEXT,
            base TEXT, base_etag INTEGER,
            sync TEXT NOT NULL CHECK(sync IN ('clean', 'dirty', 'conflict', 'refused')), reason TEXT) STRICT;
        CREATE INDEX record_by_state ON record(state, place);
        CREATE INDEX record_by_kind ON record(kind, state, place);
        CREATE INDEX record_by_change ON record(kind, state, changed_ns);
        CREATE INDEX record_by_key ON record(kind, key_text, state, place) WHERE key_text IS NOT NULL;
        CREATE INDEX record_by_sync ON record(kind, sync, place);
        CREATE TABLE version(
            record TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL,
            changed_ns INTEGER NOT NULL, zone INTEGER NOT NULL, actor TEXT, PRIMARY KEY(record, revision)) STRICT;
        CREATE TABLE unique_value(
            kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, record TEXT NOT NULL,
            PRIMARY KEY(kind, field, value, record)) STRICT, WITHOUT ROWID;
        CREATE INDEX unique_value_by_record ON unique_value(record);
        CREATE TABLE blob_use(
            sha256 TEXT NOT NULL, record TEXT NOT NULL, revision INTEGER NOT NULL,
            PRIMARY KEY(sha256, record, revision)) STRICT, WITHOUT ROWID;
        CREATE INDEX blob_use_by_record ON blob_use(record, revision);
        CREATE TABLE plain_words(
            place INTEGER PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL) STRICT;
        CREATE VIRTUAL TABLE words USING fts5(
            text, facets, columnsize = 0, prefix = '1 2 3 4 5 6 8', tokenize = 'unicode61 remove_diacritics 2');
        CREATE TABLE tally(
            kind TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(kind, state))
            STRICT, WITHOUT ROWID;
        CREATE TRIGGER record_added AFTER INSERT ON record BEGIN
            INSERT INTO tally SELECT new.kind, new.state, 0
                WHERE NOT EXISTS (SELECT 1 FROM tally WHERE kind = new.kind AND state = new.state);
            UPDATE tally SET count = count + 1 WHERE kind = new.kind AND state = new.state;
        END;
        CREATE TRIGGER record_removed AFTER DELETE ON record BEGIN
            UPDATE tally SET count = count - 1 WHERE kind = old.kind AND state = old.state;
        END;
        CREATE TRIGGER record_moved AFTER UPDATE OF state ON record WHEN old.state <> new.state BEGIN
            UPDATE tally SET count = count - 1 WHERE kind = old.kind AND state = old.state;
            INSERT INTO tally SELECT new.kind, new.state, 0
                WHERE NOT EXISTS (SELECT 1 FROM tally WHERE kind = new.kind AND state = new.state);
            UPDATE tally SET count = count + 1 WHERE kind = new.kind AND state = new.state;
        END;
        CREATE TABLE conflict(
            record TEXT NOT NULL, part TEXT NOT NULL, base TEXT, mine TEXT, theirs TEXT, etag INTEGER,
            PRIMARY KEY(record, part)) STRICT, WITHOUT ROWID;
        \(SyncSchema.creation)\(SyncSchema.pictures)
        CREATE TABLE form(kind TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version)
        """
}
