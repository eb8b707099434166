// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import Glibc

/// What can be wrong with a ledger, before it has a name.
enum LedgerFault: Error, Hashable {
    /// SQLite says so, or what it read makes no sense.
    case database(DatabaseError)
    /// It is a file of SQLite's, but of another program.
    case foreign
    /// A later version of gst-capture has made it.
    case newer(Int64)
    /// There is nothing in it.
    case empty

    /// Runs what talks to SQLite.
    static func catching<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(LedgerFault) -> Result {
        do throws(DatabaseError) { return try body() } catch { throw .database(error) }
    }
}

extension CaptureError {
    /// Says what is wrong with a ledger, and what helps.
    static func ledger(_ fault: LedgerFault, _ path: String) -> CaptureError {
        let subject = RegularFile.display(path)
        switch fault {
        case .database(let error): return database(error, subject)
        case .empty:
            return CaptureError(.noInput, "is empty, and no ledger", subject: subject)
        case .foreign:
            return CaptureError(
                .configuration, "is the database of another program, and no ledger", subject: subject,
                advice: "give --ledger another name")
        case .newer(let version):
            return CaptureError(
                .configuration,
                "was written by a newer gst-capture: ledger version \(version), and this one knows "
                    + "\(LedgerSchema.version)",
                subject: subject, advice: "use that version, or give --ledger another name")
        }
    }

    /// Somebody else writes this ledger now.
    static func ledgerInUse(_ path: String, by process: Int32?) -> CaptureError {
        let who = process.map { "process \($0)" } ?? "another process"
        return CaptureError(
            .temporary, "\(who) is taking the pictures of this series", subject: RegularFile.display(path),
            advice: "stop that one first, or give this one other file names")
    }

    /// A series cannot be gone on with by other settings than it began with.
    static func otherSeries(_ path: String, _ differences: [String]) -> CaptureError {
        CaptureError(
            .configuration, "the series there is another one: " + differences.joined(separator: "; "),
            subject: RegularFile.display(path),
            advice: "resume with its settings, or leave --resume out for a new series")
    }

    private static func database(_ error: DatabaseError, _ subject: String) -> CaptureError {
        switch error.kind {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG:
            return CaptureError(
                .inputOutput, "is damaged, or no ledger: \(error.message)", subject: subject,
                advice: "move it away, and a new one is begun; sqlite3 FILE .recover saves what can be read")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return CaptureError(
                .temporary, "another program keeps the ledger locked", subject: subject, advice: "end that one")
        case SQLITE_FULL: return .file(ENOSPC, subject, "")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return .file(error.systemCode == EROFS ? EROFS : EACCES, subject, "cannot be written")
        case SQLITE_CANTOPEN, SQLITE_IOERR:
            guard error.systemCode > 0 else { break }
            return .file(error.systemCode, subject, "the ledger cannot be read or written")
        default: break
        }
        return CaptureError(.inputOutput, "the ledger cannot be read or written: \(error.message)", subject: subject)
    }
}

extension DatabaseError {
    /// True where the file may be whole, but what SQLite needs beside it cannot be made.
    var isOfAccess: Bool { [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_IOERR].contains(kind) }
}
