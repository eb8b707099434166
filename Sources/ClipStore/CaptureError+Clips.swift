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

    /// Creates the error of a list that a later version has written.
    static func newerClips(_ version: Int64, _ path: String) -> CaptureError {
        CaptureError(
            .configuration,
            "was written by a newer gst-capture: it has version \(version), and this one reads \(ClipSchema.version)",
            subject: RegularFile.display(path), advice: "use that gst-capture, or give the clips another output")
    }

    /// Creates the error of a list into which another process records.
    static func clipsInUse(_ path: String) -> CaptureError {
        CaptureError(
            .temporary, "another process records into this list of clips", subject: RegularFile.display(path),
            advice: "stop that process first, or give the clips another output")
    }

    /// Creates the error of a limit that ends a recording.
    static func clipLimit(_ key: String, _ limit: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the clips have reached their limit of \(limit)", subject: key,
            advice: "raise it, remove clips, or remove the oldest with on-limit: prune")
    }

    /// Creates the error of a disk that has too little free space for another clip.
    static func clipFloor(free: Int, floor: Int) -> CaptureError {
        CaptureError(
            .inputOutput, "only \(ByteSize.text(free)) are free, and \(ByteSize.text(floor)) must stay free",
            subject: "keep-free", advice: "make room on the disk, or give a smaller keep-free", systemError: ENOSPC)
    }

    /// Creates the error of a clip that the list does not have, or that was removed.
    package static func unknownClip(_ id: Int) -> CaptureError {
        CaptureError(.noInput, "there is no such clip", subject: "\(id)")
    }

    /// Creates the error of a request to remove a clip that is being recorded.
    static func clipInUse(_ id: Int) -> CaptureError {
        CaptureError(
            .temporary, "the clip is being recorded", subject: "\(id)", advice: "stop the recording, and try again")
    }

    /// Creates the error of a complete clip that the list does not have: another list is in its place.
    static func unlisted(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the list of clips has no row of this file", subject: path,
            advice: "restore the list with which the recording began")
    }
}
