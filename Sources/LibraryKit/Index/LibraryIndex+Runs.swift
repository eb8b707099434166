// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB
import LedgerKit
import SessionModel

/// A position in the runs of a session, which are in the order of their beginnings.
public struct RunPosition: Sendable, Hashable, CustomStringConvertible {
    fileprivate let begun: Int64, source: Int64

    fileprivate init(begun: Int64, source: Int64) { (self.begun, self.source) = (begun, source) }

    /// Reads a position; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 40 else { return nil }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0, radix: 36) }
        guard numbers.count == 2, let begun = numbers[0], let source = numbers[1] else { return nil }
        self.init(begun: begun, source: source)
    }

    /// The position as text for addresses of requests.
    public var description: String { String(begun, radix: 36) + "." + String(source, radix: 36) }
}

extension IndexWriter {
    /// Adds or changes the run of a record. All but its session and its times stays in the record.
    func put(runOf record: SessionRecord, source: Int64) throws {
        let begun = WallTime(iso8601: record.begun)?.nanosecondsSince1970 ?? 0
        try database.execute(
            sql: "INSERT OR REPLACE INTO run(source, session, begun_ns, removal_ns) VALUES(?, ?, ?, ?)",
            arguments: [source, record.progress.session, begun, record.removal?.nanosecondsSince1970])
    }
}

extension LibraryIndex {
    /// Returns the folders of the runs of a session, newest first.
    ///
    /// - Parameters:
    ///   - session: The name of the session.
    ///   - folder: The folder of the runs: sessions of other folders can have the same name.
    ///   - position: The position at which the page begins; `nil` for the newest run.
    ///   - limit: The maximum number of runs, at least 1.
    /// - Returns: The folders, and the position after the last one; `nil` at the end of the list.
    /// - Throws: `CaptureError` if the index cannot be read.
    package func runs(
        of session: String, in folder: String, from position: RunPosition? = nil, limit: Int
    ) throws(CaptureError) -> (folders: [String], next: RunPosition?) {
        let position = position ?? RunPosition(begun: .max, source: .max)
        let rows = try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT source.path, run.begun_ns, run.source FROM run CROSS JOIN source ON source.id = run.source
                    WHERE session = ? AND (begun_ns, source) < (?, ?) AND path > ? AND path < ?
                    ORDER BY begun_ns DESC, source DESC LIMIT ?
                    """,
                // CROSS JOIN reads runs in the order of time, and only those of the page. One more shows whether the list
                // continues. The last bound of the paths is the character after the slash.
                arguments: [session, position.begun, position.source, folder + "/", folder + "0", limit + 1])
        }
        let runs = rows.prefix(limit).compactMap { row -> (String, RunPosition)? in
            guard let path: String = row.value(0), let begun: Int64 = row.value(1), let source: Int64 = row.value(2)
            else { return nil }
            return (path, RunPosition(begun: begun, source: source))
        }
        return (runs.map(\.0), rows.count > limit ? runs.last?.1 : nil)
    }

    /// Returns the times at which the pictures of runs have to be removed, by the folders of the runs. Runs without a limit
    /// are left out.
    ///
    /// - Parameter folder: The folder of the runs.
    /// - Throws: `CaptureError` if the index cannot be read.
    package func removals(in folder: String) throws(CaptureError) -> [String: WallTime] {
        try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT source.path, run.removal_ns FROM run CROSS JOIN source ON source.id = run.source
                    WHERE removal_ns IS NOT NULL AND path > ? AND path < ?
                    """, arguments: [folder + "/", folder + "0"])
            var removals: [String: WallTime] = [:]
            while let row = try rows.next() {
                guard let path: String = row.value(0), let nanoseconds: Int64 = row.value(1) else { continue }
                removals[path] = WallTime(nanosecondsSince1970: nanoseconds, utcOffset: 0)
            }
            return removals
        }
    }
}
#endif
