// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import Glibc
import PipelineKit

/// A connection to a file of SQLite's. What is in the file may be anything; it is read, never obeyed.
///
/// Every call blocks. It belongs to one thread at a time.
final class Database {
    /// How a file is opened.
    enum Access {
        /// To be written, and made where it is not there.
        case create
        /// To be written where it is there.
        case write
        /// To be read while others may write.
        case read
        /// To be read where nothing can be written, not even the files that SQLite keeps beside it.
        case immutable
    }

    private let handle: OpaquePointer

    /// Opens a file (`sqlite3_open_v2`); nothing is read of it yet.
    init(_ path: String, _ access: Access) throws(DatabaseError) {
        var handle: OpaquePointer?
        let shared = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            // Who reads, too: then the files beside it are put in order, and gone afterwards.
            case .write, .read: SQLITE_OPEN_READWRITE
            case .immutable: SQLITE_OPEN_READONLY
            }
        let code = sqlite3_open_v2(Self.address(path, access), &handle, flags | shared, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw DatabaseError(code, handle)
        }
        self.handle = handle
        csqlite_harden(handle)
        wait(for: .seconds(5))
        // Nothing in a ledger is longer; a file that says so lies.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 20)
        if access == .read || access == .immutable { try run("PRAGMA query_only = ON") }
        try run("PRAGMA cell_size_check = ON")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that have no answer (`sqlite3_exec`).
    func run(_ statements: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, handle) }
    }

    /// How long each call waits where another program has the file locked (`sqlite3_busy_timeout`); 5 s at first.
    func wait(for span: Duration) { sqlite3_busy_timeout(handle, Int32(clamping: span.nanoseconds / 1_000_000)) }

    /// Lets a statement fail with `SQLITE_INTERRUPT` once the task that runs it is cancelled (`sqlite3_progress_handler`);
    /// off at first.
    func stopsWhenCancelled(_ isOn: Bool) {
        guard isOn else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        // SQLite calls it on the thread of the statement, every few microseconds.
        sqlite3_progress_handler(handle, 1000, { _ in Task.isCancelled ? 1 : 0 }, nil)
    }

    /// Lets the file be closed without another change to it, nor to its log: others may be in their places by now.
    func abandon() { csqlite_keep_log(handle) }

    /// Prepares one statement.
    func prepare(_ text: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> DatabaseStatement {
        try DatabaseStatement(handle, text, values)
    }

    /// Runs one statement, and gives the number of the row that it inserted.
    @discardableResult
    func insert(_ text: String, _ values: [DatabaseValue]) throws(DatabaseError) -> Int64 {
        let statement = try prepare(text, values)
        while try statement.next() {}
        return sqlite3_last_insert_rowid(handle)
    }

    /// All or nothing of what `body` does; durable when it returns.
    func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body()
            try run("COMMIT")
        } catch {
            // SQLite has done so already where the disk was full.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// A whole number of the file's head, or of its content.
    func number(_ text: String) throws(DatabaseError) -> Int64? {
        let statement = try prepare(text)
        return try statement.next() ? statement.integer(0) : nil
    }

    /// A path as SQLite reads it where it may be a URI: `?`, `#` and `%` stand for themselves.
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

/// What SQLite, or a file that is none of its own, has to say.
struct DatabaseError: Error, Hashable {
    /// SQLite's extended result code.
    let code: Int32
    /// What the system said, where it was asked (`errno`); 0 elsewhere.
    let systemCode: Int32
    /// SQLite's own words.
    let message: String

    init(_ code: Int32, _ handle: OpaquePointer?) {
        self.code = code
        systemCode = handle.map(sqlite3_system_errno) ?? 0
        let text = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        // It may quote what is in the file.
        message = FixedText.clean(text.utf8.prefix(200))
    }

    /// A file whose content is not what it should be.
    init(damage: String) { (code, systemCode, message) = (SQLITE_CORRUPT, 0, damage) }

    /// SQLite's result code without its details.
    var kind: Int32 { code & 0xFF }
}
