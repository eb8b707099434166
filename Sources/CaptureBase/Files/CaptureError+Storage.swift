// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension CaptureError {
    /// `true` if storing failed for a reason that may pass, independent of the picture and its name.
    package var isOfStorage: Bool {
        switch systemError {
        case ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, EHOSTDOWN, ETIMEDOUT, EAGAIN, EBUSY, ENOMEM,
            ENOBUFS, EMFILE, ENFILE:
            true
        default: false
        }
    }

    /// `true` if removing pictures would help.
    package var isFullDisk: Bool { systemError == ENOSPC || systemError == EDQUOT }

    /// Returns the same error for another picture.
    package func about(_ path: String) -> CaptureError {
        CaptureError(code, message, subject: path, advice: advice, systemError: systemError)
    }

    static func notMounted(_ mount: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "nothing is mounted there", subject: mount,
            advice: "plug in what belongs there, or mount it; without --mount pictures go into the folder itself",
            systemError: ENODEV)
    }

    static func vanished(_ folder: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the file system of the pictures is gone", subject: folder,
            advice: "connect or mount it again; nothing is written to the folder underneath it", systemError: ENODEV)
    }

    static func outside(_ mount: String, _ folder: String) -> CaptureError {
        CaptureError(
            .usage, "pictures would go to \(folder), which is not in \(mount)", subject: "--mount",
            advice: "give an --output in it, or leave out --mount")
    }
}
