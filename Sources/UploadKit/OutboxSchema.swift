// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The tables of an outbox.
///
/// `span` has the lines of a source that a target has taken, or skipped. A line is at the target if it was taken, has
/// no job any more, and was not skipped: a year of pictures needs a few rows. `run` gives the pictures of each accepted
/// session lines of the folder of its session.
///
/// The names of pictures at targets, which may have to erase them: `named` has the lines of a series that got their names
/// by a `naming`, and `sent` the name of each other picture, such as one with `-2`, and of each clip. `kept` has the deleted pictures that a
/// target cannot erase. `cursor` has how far the deletions of a source were read.
enum OutboxSchema {
    static let version: Int64 = 3
    /// Distinguishes an outbox from other SQLite files: `gstO` (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x6773_744F

    /// Creates the tables in an empty file, and rejects other files.
    static func prepare(_ database: Database) throws(DatabaseError) {
        try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        let application = try database.number("PRAGMA application_id") ?? 0
        let found = try database.number("PRAGMA user_version") ?? 0
        if application == 0, found == 0, try database.number("SELECT count(*) FROM sqlite_schema") == 0 {
            return try database.transaction { () throws(DatabaseError) in
                try database.run(creation + sessions + deletions + mark)
            }
        }
        if application == applicationID, 1..<version ~= found {
            return try database.transaction { () throws(DatabaseError) in
                // Their names may be those of another template.
                try database.run(
                    (found < 2 ? sessions : "") + deletions + "UPDATE job SET own_name = 1;"
                        + "PRAGMA user_version = \(version)")
            }
        }
        try check(database)
    }

    /// Rejects files other than an outbox of this version.
    static func check(_ database: Database) throws(DatabaseError) {
        guard try database.number("PRAGMA application_id") == applicationID else {
            throw DatabaseError(damage: "it is not an outbox")
        }
        let found = try database.number("PRAGMA user_version") ?? 0
        guard found == version else {
            throw DatabaseError(damage: "it is of version \(found), this program's is \(version)")
        }
    }

    private static let creation = """
        CREATE TABLE source(
            number INTEGER PRIMARY KEY, path TEXT NOT NULL, identity TEXT NOT NULL, UNIQUE(path, identity)) STRICT;
        CREATE TABLE span(
            target TEXT NOT NULL, source INTEGER NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL,
            last INTEGER NOT NULL CHECK(last >= first), PRIMARY KEY(target, source, kind, first)) STRICT, WITHOUT ROWID;
        CREATE TABLE job(
            number INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, source INTEGER NOT NULL, line INTEGER NOT NULL,
            path TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, taken TEXT NOT NULL, board TEXT NOT NULL,
            series TEXT NOT NULL, camera TEXT NOT NULL, name TEXT NOT NULL,
            state TEXT NOT NULL CHECK(state IN ('waiting', 'stored', 'dead')), failures INTEGER NOT NULL DEFAULT 0,
            reason TEXT, token TEXT, UNIQUE(target, source, line)) STRICT;
        CREATE INDEX job_by_state ON job(target, state, number);
        CREATE TABLE target(
            id TEXT PRIMARY KEY, paused INTEGER NOT NULL DEFAULT 0, condition TEXT NOT NULL DEFAULT 'ready', reason TEXT,
            since_ms INTEGER NOT NULL DEFAULT 0, until_ms INTEGER, sent INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0, sent_ms INTEGER, skipped INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
        CREATE TABLE request(
            number INTEGER PRIMARY KEY, verb TEXT NOT NULL, target TEXT NOT NULL, job INTEGER) STRICT;

        """

    /// The tables and columns of version 2.
    private static let sessions = """
        ALTER TABLE job ADD COLUMN kind TEXT NOT NULL DEFAULT 'send' CHECK(kind IN ('send', 'erase'));
        ALTER TABLE job ADD COLUMN run TEXT NOT NULL DEFAULT '';
        ALTER TABLE job ADD COLUMN stage TEXT NOT NULL DEFAULT '';
        ALTER TABLE job ADD COLUMN lent INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE run(
            source INTEGER NOT NULL, name TEXT NOT NULL, begun TEXT NOT NULL, first INTEGER NOT NULL,
            last INTEGER NOT NULL CHECK(last >= first), ended_s INTEGER NOT NULL, retention_s INTEGER,
            gone INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(source, name, begun)) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX run_by_line ON run(source, first);
        CREATE INDEX run_by_end ON run(source, ended_s + retention_s) WHERE retention_s IS NOT NULL;
        CREATE TABLE sent(
            target TEXT NOT NULL, source INTEGER NOT NULL, line INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY(target, source, line)) STRICT, WITHOUT ROWID;

        """

    /// The tables and columns of version 3.
    private static let deletions = """
        ALTER TABLE job ADD COLUMN own_name INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE job ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE naming(
            number INTEGER PRIMARY KEY, template TEXT NOT NULL, address TEXT NOT NULL, board TEXT NOT NULL,
            series TEXT NOT NULL, camera TEXT NOT NULL, small INTEGER NOT NULL,
            UNIQUE(template, address, board, series, camera, small)) STRICT;
        CREATE TABLE named(
            target TEXT NOT NULL, source INTEGER NOT NULL, naming INTEGER NOT NULL, first INTEGER NOT NULL,
            last INTEGER NOT NULL CHECK(last >= first), PRIMARY KEY(target, source, naming, first))
            STRICT, WITHOUT ROWID;
        CREATE TABLE kept(
            target TEXT NOT NULL, source INTEGER NOT NULL, line INTEGER NOT NULL, name TEXT, reason TEXT NOT NULL,
            PRIMARY KEY(target, source, line)) STRICT, WITHOUT ROWID;
        CREATE TABLE cursor(source INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT;
        CREATE INDEX sent_by_line ON sent(source, line);
        ALTER TABLE run ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
        DROP INDEX run_by_end;
        CREATE INDEX run_by_end ON run(source, ended_s + retention_s) WHERE retention_s IS NOT NULL AND settled = 0;

        """

    private static let mark = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version)
        """
}
