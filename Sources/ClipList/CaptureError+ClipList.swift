// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import DatabaseKit
import Glibc

extension CaptureError {
    /// Returns the error for a list of clips that SQLite cannot use, with advice.
    static func clips(_ error: DatabaseError, _ path: String) -> CaptureError {
        let subject = RegularFile.display(path)
        switch error.kind {
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG:
            // A failing disk can return wrong bytes of an intact file.
            return CaptureError(
                .inputOutput, "cannot be read as a list of clips: \(error.message)", subject: subject,
                advice: "check its disk first (dmesg); then move the file away: a new list begins, and the clips stay")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return CaptureError(
                .temporary, "another program keeps the list of clips locked", subject: subject,
                advice: "end that program")
        case SQLITE_FULL: return .file(ENOSPC, subject, "")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return .file(error.systemCode == EROFS ? EROFS : EACCES, subject, "cannot be written")
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            let number = error.systemCode > 0 ? error.systemCode : EIO
            return .file(number, subject, "the list of clips cannot be read or written")
        default:
            return CaptureError(
                .inputOutput, "the list of clips cannot be read or written: \(error.message)", subject: subject)
        }
    }

    /// Creates the error of a file that another program has at the path of a list.
    static func foreignClips(_ path: String) -> CaptureError {
        CaptureError(
            .configuration, "is the database of another program, not a list of clips",
            subject: RegularFile.display(path), advice: "move it away, or give the clips another output")
    }

    /// Creates the error of a file without tables.
    static func emptyClips(_ path: String) -> CaptureError {
        CaptureError(.noInput, "is empty, not a list of clips", subject: RegularFile.display(path))
    }

    /// Creates the error of a list that a later version has written.
    static func newerClips(_ version: Int64, _ path: String) -> CaptureError {
        CaptureError(
            .configuration,
            "was written by a newer gst-capture: it has version \(version), and this one reads \(ClipSchema.version)",
            subject: RegularFile.display(path), advice: "use that gst-capture, or give the clips another output")
    }
}
