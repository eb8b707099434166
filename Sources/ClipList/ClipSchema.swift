// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The tables of a list of clips. `clips` has a row for each file, which is never deleted, so that IDs are never used again.
/// `deletions` has the clips that a person has deleted, in the order of their deletions; limits remove the others.
///
/// Moments are nanoseconds since 1970 UTC (`_ns`) with the offset of their zone in seconds (`_zone`). Paths are relative
/// to the folder of the list.
enum ClipSchema {
    /// The version that this program reads and writes (`PRAGMA user_version`).
    static let version: Int64 = 2
    /// Distinguishes a list of clips from other SQLite files: `gstC` (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x6773_7443

    /// The clips whose files should exist.
    static let stored = "state IN ('recording', 'complete', 'repaired')"
    /// The clips that a crash would leave unfinished.
    static let unfinished = "state IN ('recording', 'removing')"

    /// The columns, in the order in which ``ClipAccount`` reads them.
    static let columns = """
        id, path, start_ns, start_zone, state, duration_ns, frames, dropped, sound_ns, bytes, width, height, reason, error
        """

    /// The statements that create a list in an empty file.
    static var creation: String {
        (first + second + ["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)"])
            .joined(separator: ";\n")
    }

    /// The statements that make a list of version 1 one of this version.
    static var upgrade: String { (second + ["PRAGMA user_version = \(version)"]).joined(separator: ";\n") }

    /// The definitions of version 1.
    private static let first = [
        """
        CREATE TABLE clips(
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL,
            start_ns INTEGER NOT NULL, start_zone INTEGER NOT NULL,
            state TEXT NOT NULL
                CHECK(state IN ('recording', 'complete', 'repaired', 'removing', 'removed', 'gone')),
            duration_ns INTEGER,
            frames INTEGER, dropped INTEGER,
            sound_ns INTEGER,
            bytes INTEGER,
            width INTEGER NOT NULL, height INTEGER NOT NULL,
            reason TEXT,
            error TEXT
        ) STRICT
        """,
        "CREATE INDEX clips_stored ON clips(id, bytes) WHERE \(stored)",
        "CREATE INDEX clips_unfinished ON clips(id) WHERE \(unfinished)",
    ]

    /// The definitions of version 2.
    private static let second = [
        "CREATE TABLE deletions(number INTEGER PRIMARY KEY, clip INTEGER NOT NULL UNIQUE) STRICT"
    ]

    /// The kind of a file.
    enum Content: Hashable {
        /// A list, and its version.
        case clips(Int64)
        case empty
    }

    /// Rejects files that are not lists of clips, or that this program cannot read. Reads the file in one transaction.
    ///
    /// - Throws: `CaptureError` with the path.
    static func check(_ database: Database, _ path: String) throws(CaptureError) -> Content {
        let found: (definitions: Set<String>, application: Int64, version: Int64)
        do throws(DatabaseError) {
            found = try database.snapshot { () throws(DatabaseError) in
                var definitions: Set<String> = []
                let rows = try database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 100")
                while try rows.next() { definitions.insert(try rows.requiredText(0)) }
                return (
                    definitions, try database.number("PRAGMA application_id") ?? 0,
                    try database.number("PRAGMA user_version") ?? 0
                )
            }
        } catch {
            throw .clips(error, path)
        }
        if found.definitions.isEmpty, found.application == 0, found.version == 0 { return .empty }
        guard found.application == applicationID else { throw .foreignClips(path) }
        guard found.version <= version else { throw .newerClips(found.version, path) }
        // Views and triggers of another origin could do anything.
        guard found.definitions == Set(found.version < 2 ? first : first + second) else {
            throw .clips(DatabaseError(damage: "its tables are not those of clips"), path)
        }
        return .clips(found.version)
    }
}
