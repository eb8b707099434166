// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

extension CaptureError {
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

    /// Creates the error of a limit that only clips which are not sent could keep.
    static func unsentClips(_ limit: CaptureError) -> CaptureError {
        CaptureError(
            limit.code, "\(limit.message), and the clips that are left are not sent", subject: limit.subject,
            advice: "gst-capture outbox list says why; or leave out keep-unsent", systemError: limit.systemError)
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
