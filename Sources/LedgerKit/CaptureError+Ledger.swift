// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import DatabaseKit
import Glibc

/// A reason why a ledger cannot be used, without its path.
enum LedgerFault: Error, Hashable {
    /// SQLite reports an error, or the file contains invalid data.
    case database(DatabaseError)
    /// The file is an SQLite database of another program.
    case foreign
    /// A newer version of gst-capture created it.
    case newer(Int64)
    /// The file is empty.
    case empty

    /// Runs SQLite calls, and wraps their errors.
    static func catching<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(LedgerFault) -> Result {
        do throws(DatabaseError) { return try body() } catch { throw .database(error) }
    }
}

extension CaptureError {
    /// Returns the error for a fault of a ledger, with advice.
    static func ledger(_ fault: LedgerFault, _ path: String) -> CaptureError {
        let subject = RegularFile.display(path)
        switch fault {
        case .database(let error): return database(error, subject)
        case .empty:
            return CaptureError(.noInput, "is empty, not a ledger", subject: subject)
        case .foreign:
            return CaptureError(
                .configuration, "is the database of another program, not a ledger", subject: subject,
                advice: "give --ledger another name")
        case .newer(let version):
            return CaptureError(
                .configuration,
                "was written by a newer gst-capture: it has ledger version \(version), and this one reads "
                    + "\(LedgerSchema.version)",
                subject: subject, advice: "use that gst-capture, or give --ledger another name")
        }
    }

    /// Returns the error for a ledger that another process writes.
    static func ledgerInUse(_ path: String, by process: Int32?) -> CaptureError {
        let who = process.map { "process \($0)" } ?? "another process"
        return CaptureError(
            .temporary, "\(who) is taking the pictures of this series", subject: RegularFile.display(path),
            advice: "stop that process first, or give this one other file names")
    }

    /// Returns the error for a ledger whose reading task was canceled.
    static func ledgerCanceled(_ path: String) -> CaptureError {
        CaptureError(.temporary, "reading the ledger was canceled", subject: RegularFile.display(path))
    }

    /// Returns the error for a ledger that is missing from its path.
    static func ledgerGone(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the ledger is gone", subject: RegularFile.display(path),
            advice: "connect or mount its disk again", systemError: ENODEV)
    }

    /// Returns the error for a path that has another ledger, without this run.
    static func ledgerReplaced(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "another ledger is in its place", subject: RegularFile.display(path),
            advice: "restore the ledger that the series began with", systemError: ENODEV)
    }

    /// Returns the error for a series that cannot be resumed, because it has other settings.
    package static func otherSeries(_ path: String, _ differences: [String]) -> CaptureError {
        CaptureError(
            .configuration, "it belongs to another series: " + differences.joined(separator: "; "),
            subject: RegularFile.display(path),
            advice: "resume with its settings, or leave out --resume for a new series")
    }

    private static func database(_ error: DatabaseError, _ subject: String) -> CaptureError {
        switch error.kind {
        case SQLITE_NOTADB:
            // A file with the name of a ledger may be a damaged one. Any other file belongs to the user, and must stay.
            let isNamedSo = subject.hasSuffix(LedgerPlace.suffix)
            return CaptureError(
                .inputOutput, "is not a ledger", subject: subject,
                advice: isNamedSo ? "move it away; gst-capture then creates a new one" : nil)
        case SQLITE_CORRUPT, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG:
            // A failing disk can return wrong bytes of an intact ledger.
            return CaptureError(
                .inputOutput, "cannot be read as a ledger: \(error.message)", subject: subject,
                advice: "check its disk first (dmesg); then recover readable lines with sqlite3 FILE .recover"
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            return CaptureError(
                .temporary, "another program keeps the ledger locked", subject: subject, advice: "end that program")
        case SQLITE_INTERRUPT: return .ledgerCanceled(subject)
        case SQLITE_FULL: return .file(ENOSPC, subject, "")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return .file(error.systemCode == EROFS ? EROFS : EACCES, subject, "cannot be written")
        case SQLITE_IOERR:
            // SQLite keeps no system error for mapped memory and short reads.
            return .file(error.systemCode > 0 ? error.systemCode : EIO, subject, "the ledger cannot be read or written")
        case SQLITE_CANTOPEN:
            guard error.systemCode > 0 else { break }
            return .file(error.systemCode, subject, "the ledger cannot be read or written")
        default: break
        }
        return CaptureError(.inputOutput, "the ledger cannot be read or written: \(error.message)", subject: subject)
    }
}
