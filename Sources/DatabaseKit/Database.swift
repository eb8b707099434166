// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import Glibc

/// A connection to an SQLite file. The file may contain anything, so nothing in it is trusted.
///
/// Every call blocks. A connection belongs to one thread at a time.
package final class Database {
    /// How a file is opened.
    package enum Access {
        /// Opens the file for writing, and creates it if it is missing.
        case create
        /// Opens an existing file for writing.
        case write
        /// Opens the file so that SQLite can recover it, and rejects statements that write (`PRAGMA query_only`). Other
        /// processes may write the file meanwhile.
        case read
        /// Opens the file read-only beside a process that writes it: its files beside the database have to exist.
        case readOnly
        /// Opens the file read-only, without locks and without the files that SQLite keeps beside it (`immutable=1`).
        case immutable
    }

    private let handle: OpaquePointer

    /// Opens a file (`sqlite3_open_v2`) without reading it yet.
    package init(_ path: String, _ access: Access) throws(DatabaseError) {
        var handle: OpaquePointer?
        let shared = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            // A reader, too, opens for writing: SQLite then recovers and removes the files beside the database.
            case .write, .read: SQLITE_OPEN_READWRITE
            case .readOnly, .immutable: SQLITE_OPEN_READONLY
            }
        let code = sqlite3_open_v2(Self.address(path, access), &handle, flags | shared, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw DatabaseError(code, handle)
        }
        self.handle = handle
        csqlite_harden(handle)
        wait(for: .seconds(5))
        // No value in a ledger is longer; a file that claims so is damaged.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 20)
        if access != .create && access != .write { try run("PRAGMA query_only = ON") }
        try run("PRAGMA cell_size_check = ON")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that return no rows (`sqlite3_exec`).
    package func run(_ statements: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, handle) }
    }

    /// Sets the timeout of each call while another program has the file locked (`sqlite3_busy_timeout`); initially 5 s.
    package func wait(for span: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: span.nanoseconds / 1_000_000))
    }

    /// Makes a statement fail with `SQLITE_INTERRUPT` once the task that runs it is canceled
    /// (`sqlite3_progress_handler`); initially off.
    package func stopsWhenCancelled(_ isOn: Bool) {
        guard isOn else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        // SQLite calls the handler on the thread of the statement, every few microseconds.
        sqlite3_progress_handler(handle, 1000, { _ in Task.isCancelled ? 1 : 0 }, nil)
    }

    /// Makes closing leave the file and its log unchanged: other files may be at their paths by now.
    package func abandon() { csqlite_keep_log(handle) }

    /// Prepares one statement.
    package func prepare(_ text: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> DatabaseStatement {
        try DatabaseStatement(handle, text, values)
    }

    /// Runs one statement, and returns the ID of the row that it inserted.
    @discardableResult
    package func insert(_ text: String, _ values: [DatabaseValue]) throws(DatabaseError) -> Int64 {
        let statement = try prepare(text, values)
        while try statement.next() {}
        return sqlite3_last_insert_rowid(handle)
    }

    /// Runs `body` as one transaction, all or nothing. It is durable on return.
    package func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body()
            try run("COMMIT")
        } catch {
            // SQLite has already rolled back if the disk was full.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as one transaction that only reads: all of its statements see the same state of the file.
    package func snapshot<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try run("BEGIN")
        defer {
            // SQLite may have already rolled back after an error.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
        }
        return try body()
    }

    /// Returns a whole number from the file's header or content; `nil` if there is none.
    package func number(_ text: String) throws(DatabaseError) -> Int64? {
        let statement = try prepare(text)
        return try statement.next() ? statement.integer(0) : nil
    }

    /// Returns a path as an SQLite URI, with bytes such as `?`, `#` and `%` escaped.
    private static func address(_ path: String, _ access: Access) -> String {
        var address = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                address += "%" + String(byte, radix: 16, uppercase: true)
            case 0x80...: address += "%" + String(byte, radix: 16, uppercase: true)
            default: address.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return address + (access == .immutable ? "?immutable=1" : "")
    }
}

/// An error that SQLite reports, or damage in a file.
package struct DatabaseError: Error, Hashable {
    /// SQLite's extended result code.
    package let code: Int32
    /// The system's error (`errno`), if there is one; otherwise 0.
    package let systemCode: Int32
    /// SQLite's message, or the damage.
    package let message: String

    package init(_ code: Int32, _ handle: OpaquePointer?) {
        self.code = code
        systemCode = handle.map(sqlite3_system_errno) ?? 0
        let text = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        // The message may quote the file's content.
        message = FixedText.clean(text.utf8.prefix(200))
    }

    /// Creates the error for a file with unexpected content.
    package init(damage: String) { (code, systemCode, message) = (SQLITE_CORRUPT, 0, damage) }

    /// SQLite's primary result code.
    package var kind: Int32 { code & 0xFF }
}

extension DatabaseError {
    /// `true` if the file may be intact, but SQLite cannot write it or use the files that it needs beside it.
    package var isOfAccess: Bool { [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_IOERR].contains(kind) }
}
