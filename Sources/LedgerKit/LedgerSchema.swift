// Part of gst-capture. Apache License 2.0, see LICENSE.

import DatabaseKit

/// The tables of a ledger. Rows are added, and never changed or removed: triggers reject UPDATE and DELETE.
///
/// `INSERT OR REPLACE` removes rows without these triggers (unless `PRAGMA recursive_triggers` is on), so this program
/// never uses it.
///
/// Moments are nanoseconds since 1970 UTC (`_ns`) with the offset of their zone in seconds (`_zone`).
enum LedgerSchema {
    /// The version that this program writes (`PRAGMA user_version`). It reads all versions from 1 to this one.
    ///
    /// Version 2 adds the indices of a run's slots. Without them each resume reads the whole ledger.
    static let version: Int64 = 2
    /// Distinguishes a ledger from other SQLite files: `gstL` (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x6773_744C

    /// The statements that create a ledger in an empty file.
    static var creation: String {
        (tables + indices + runIndices + triggers
            + ["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)"])
            .joined(separator: ";\n")
    }

    /// The statements that migrate a ledger of version 1 to this version.
    static var migration: String { (runIndices + ["PRAGMA user_version = \(version)"]).joined(separator: ";\n") }

    /// Rejects files that are not ledgers, and ledgers that this program cannot read. Reads the file in one
    /// transaction: a program that creates or migrates the ledger meanwhile does not change the result.
    ///
    /// - Returns: The version of the ledger; `nil` if the file is empty.
    static func check(_ database: Database) throws(LedgerFault) -> Int64? {
        let (found, application, version) = try LedgerFault.catching { () throws(DatabaseError) in
            try database.snapshot { () throws(DatabaseError) in
                let found = try definitions(database)
                let application = try database.number("PRAGMA application_id") ?? 0
                return (found, application, try database.number("PRAGMA user_version") ?? 0)
            }
        }
        if found.isEmpty, application == 0, version == 0 { return nil }
        guard application == applicationID else { throw .foreign }
        guard version <= Self.version else { throw .newer(version) }
        // Views and triggers of another origin could do anything.
        guard version >= 1, found == Set(tables + indices + (version > 1 ? runIndices : []) + triggers) else {
            throw .database(DatabaseError(damage: "its tables are not a ledger's"))
        }
        return version
    }

    private static func definitions(_ database: Database) throws(DatabaseError) -> Set<String> {
        var definitions: Set<String> = []
        let rows = try database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 100")
        while try rows.next() { definitions.insert(try rows.requiredText(0)) }
        return definitions
    }

    private static let names = ["series", "runs", "run_ends", "slots", "removals"]

    private static let triggers = names.flatMap { name in
        ["UPDATE", "DELETE"].map { act in
            """
            CREATE TRIGGER \(name)_no_\(act.lowercased()) BEFORE \(act) ON \(name)
            BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END
            """
        }
    }

    private static let indices = [
        "CREATE INDEX slots_by_file ON slots(file)", "CREATE INDEX removals_by_slot ON removals(slot)",
    ]

    /// Indices of a run's slots: for its last slot and its gaps, and for its highest number.
    private static let runIndices = [
        "CREATE INDEX slots_by_run ON slots(run, cause, last, first)",
        "CREATE INDEX slots_by_sequence ON slots(run, sequence)",
    ]

    private static let tables = [
        """
        CREATE TABLE series(
            id INTEGER PRIMARY KEY,
            template TEXT NOT NULL,
            interval_ns INTEGER,
            schedule TEXT NOT NULL,
            first INTEGER NOT NULL,
            anchor_ns INTEGER NOT NULL, anchor_zone INTEGER NOT NULL,
            program TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE runs(
            id INTEGER PRIMARY KEY,
            series INTEGER NOT NULL REFERENCES series(id),
            start_ns INTEGER NOT NULL, start_zone INTEGER NOT NULL,
            process INTEGER NOT NULL,
            program TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE run_ends(
            run INTEGER PRIMARY KEY REFERENCES runs(id),
            end_ns INTEGER NOT NULL, end_zone INTEGER NOT NULL,
            ending TEXT NOT NULL,
            message TEXT
        ) STRICT
        """,
        """
        CREATE TABLE slots(
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(id),
            first INTEGER NOT NULL, last INTEGER NOT NULL CHECK(last >= first),
            cause TEXT NOT NULL CHECK(cause IN ('schedule', 'trigger')),
            due_ns INTEGER NOT NULL, due_zone INTEGER NOT NULL,
            last_due_ns INTEGER NOT NULL, last_due_zone INTEGER NOT NULL,
            outcome TEXT NOT NULL CHECK(outcome IN ('captured', 'missed', 'failed')),
            reason TEXT,
            message TEXT,
            captured_ns INTEGER, captured_zone INTEGER,
            error_ms REAL,
            late INTEGER,
            file TEXT,
            bytes INTEGER, width INTEGER, height INTEGER,
            sha256 TEXT,
            brightness REAL, sharpness REAL,
            controls TEXT,
            burst_index INTEGER,
            sequence INTEGER
        ) STRICT
        """,
        """
        CREATE TABLE removals(
            id INTEGER PRIMARY KEY,
            slot INTEGER REFERENCES slots(id),
            file TEXT NOT NULL,
            removed_ns INTEGER NOT NULL, removed_zone INTEGER NOT NULL,
            reason TEXT NOT NULL
        ) STRICT
        """,
    ]
}
