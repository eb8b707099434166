// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

/// The tables of an index. The index is a cache: a file of another version is deleted and made again, never migrated.
///
/// Moments are nanoseconds since 1970 UTC (`_ns`) with the offset of their zone in seconds; a day is the number of days
/// since 1970 in that zone.
enum IndexSchema {
    /// The version of the tables and of what they contain (`PRAGMA user_version`).
    static let version = 7
    /// Distinguishes an index from other SQLite files: `gstX` (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x6773_7458

    /// Creates the tables in an empty file.
    static func create(_ database: Database, board: BoardName) throws {
        for statement in tables { try database.execute(sql: statement) }
        try database.execute(sql: "INSERT INTO meta(board) VALUES(?)", arguments: [board.description])
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// Returns `true` if a file is an index of this version and this board.
    static func fits(_ database: Database, board: BoardName) throws -> Bool {
        guard try Int64.fetchOne(database, sql: "PRAGMA application_id") == applicationID,
            try Int.fetchOne(database, sql: "PRAGMA user_version") == version
        else { return false }
        return try String.fetchOne(database, sql: "SELECT board FROM meta") == board.description
    }

    private static let tables = [
        "CREATE TABLE meta(board TEXT NOT NULL) STRICT",
        // The order of rows is the order of time: a list needs no other index.
        """
        CREATE TABLE item(
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            kind INTEGER NOT NULL,
            state INTEGER NOT NULL,
            taken_ns INTEGER NOT NULL, zone INTEGER NOT NULL,
            day INTEGER NOT NULL,
            name TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            width INTEGER NOT NULL, height INTEGER NOT NULL,
            sha256 BLOB,
            camera TEXT, series TEXT, session TEXT, stage TEXT,
            brightness REAL, sharpness REAL,
            tags TEXT NOT NULL, stars INTEGER NOT NULL, title TEXT,
            albums TEXT NOT NULL,
            duration_ms INTEGER,
            source INTEGER,
            hidden_s INTEGER
        ) STRICT
        """,
        "CREATE INDEX item_hidden ON item(bytes) WHERE state <> 0",
        "CREATE INDEX item_in_trash ON item(hidden_s) WHERE state = \(LibraryItem.State.trash.rawValue)",
        "CREATE INDEX item_of_run ON item(source) WHERE kind = \(ItemFacts.Kind.session.rawValue)",
        "CREATE INDEX item_of_list ON item(source) WHERE kind = \(ItemFacts.Kind.clip.rawValue)",
        // For duplicates of imported pictures. Many can have the same size.
        "CREATE INDEX item_by_content ON item(bytes, substr(sha256, 1, 4))",
        "CREATE TABLE folder(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT",
        """
        CREATE TABLE place(
            folder INTEGER NOT NULL, name TEXT NOT NULL,
            item INTEGER NOT NULL,
            role INTEGER NOT NULL,
            stamp INTEGER NOT NULL DEFAULT 0, sidecar INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY(folder, name)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX place_by_item ON place(item)",
        "CREATE INDEX place_in_album ON place(item) WHERE role = \(ItemPlace.Role.album.rawValue)",
        "CREATE TABLE album(folder INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, cover TEXT) STRICT",
        // The state in which a scan left the folder.
        """
        CREATE TABLE root(
            path TEXT PRIMARY KEY,
            marker TEXT NOT NULL,
            state TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE source(
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            identity TEXT NOT NULL,
            line INTEGER NOT NULL, removal INTEGER NOT NULL,
            series TEXT, camera TEXT,
            damaged INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        // The runs of sessions, by their accounts.
        """
        CREATE TABLE run(
            source INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            begun_ns INTEGER NOT NULL,
            removal_ns INTEGER
        ) STRICT
        """,
        "CREATE INDEX run_by_time ON run(session, begun_ns)",
        "CREATE INDEX run_with_removal ON run(source) WHERE removal_ns IS NOT NULL",
        "CREATE TABLE facet(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, UNIQUE(kind, value)) STRICT",
        """
        CREATE TABLE day(
            facet INTEGER NOT NULL, day INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY(facet, day)
        ) STRICT, WITHOUT ROWID
        """,
        // Without content: the text is made again from the item when a row is deleted. Sizes of columns serve ranks only.
        // Only for these lengths, a page of the beginning of a word does not read the lists of all such words.
        """
        CREATE VIRTUAL TABLE words USING fts5(
            text, facets, content = '', columnsize = 0, prefix = '1 2 3 4 5 6 8',
            tokenize = 'unicode61 remove_diacritics 2')
        """,
        // The words of the facets that are named by words, by the numbers of the facets.
        """
        CREATE VIRTUAL TABLE facet_words USING fts5(
            value, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2')
        """,
    ]
}
#endif
