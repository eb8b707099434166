// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import Synchronization

/// Records the SQL statements that this process runs on one database file, and SQLite's own counts of their work
/// (`sqlite3_stmt_status`). The counts depend on the data alone, never on the speed of the machine.
package enum StatementLog {
    /// A statement that ended, with its work.
    package struct Statement: Sendable, Hashable {
        package let text: String
        /// Instructions of SQLite's virtual machine.
        package let steps: Int
        /// Rows visited by scans that no index narrows.
        package let scannedRows: Int
    }

    /// Call it before the database is opened: connections that were open before are not recorded.
    package static func install() { _ = isInstalled }

    /// Runs `body`; returns the statements on the file at `path` that ended meanwhile.
    package static func statements(on path: String, during body: () async throws -> Void) async throws -> [Statement] {
        logs.withLock { $0[path] = [] }
        defer { logs.withLock { $0[path] = nil } }
        try await body()
        return logs.withLock { $0[path] ?? [] }
    }

    private static let logs = Mutex<[String: [Statement]]>([:])

    /// SQLite calls the function for each connection that this process opens from now on.
    private static let isInstalled: Bool = {
        typealias Entry = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
        let entry: Entry = { database, _, _ in
            sqlite3_trace_v2(
                database, UInt32(SQLITE_TRACE_PROFILE),
                { _, _, statement, _ in
                    if let statement { StatementLog.record(OpaquePointer(statement)) }
                    return 0
                }, nil)
        }
        return sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self)) == SQLITE_OK
    }()

    private static func record(_ statement: OpaquePointer) {
        guard let name = sqlite3_db_filename(sqlite3_db_handle(statement), "main"), let text = sqlite3_sql(statement)
        else { return }
        let ended = Statement(
            text: String(cString: text), steps: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)),
            scannedRows: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)))
        let path = String(cString: name)
        logs.withLock { $0[path]?.append(ended) }
    }
}

extension [StatementLog.Statement] {
    /// The instructions of all statements.
    package var steps: Int { reduce(0) { $0 + $1.steps } }
    /// The rows that all statements visited without an index.
    package var scannedRows: Int { reduce(0) { $0 + $1.scannedRows } }
}
