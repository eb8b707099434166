// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

extension CaptureError {
    /// Creates the error of a series that has reached a limit and removes no pictures.
    static func limit(_ option: String, _ what: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the series has reached its limit of \(what)", subject: "--\(option)",
            advice: "raise it, or remove older pictures with --on-limit prune or thin")
    }

    /// Creates the error of a series that has reached a limit with pictures that stay because they are not sent.
    static func unsent(_ option: String, _ what: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the series has reached its limit of \(what) with pictures that are not sent",
            subject: "--\(option)", advice: "gst-capture outbox list says why; or leave out --keep-unsent")
    }

    /// Creates the error of a series whose disk is full with pictures that stay because they are not sent.
    static func fullOfUnsent(_ folder: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the disk is full with pictures that are not sent", subject: folder,
            advice: "gst-capture outbox list says why; make room, or leave out --keep-unsent")
    }

    /// Creates the error of a session, which removes no pictures, whose disk has less free space than must stay free.
    package static func belowFloor(free: Int, floor: Int) -> CaptureError {
        CaptureError(
            .inputOutput, "only \(ByteSize.text(free)) are free, and \(ByteSize.text(floor)) must stay free",
            subject: "--keep-free", advice: "make room on the disk, or give a smaller --keep-free", systemError: ENOSPC)
    }

    /// Creates the error of a series whose disk has less free space than must stay free.
    package static func floor(_ space: DiskSpace, _ limits: StorageLimits) -> CaptureError {
        CaptureError(
            .inputOutput,
            "only \(ByteSize.text(space.free)) are free, and \(ByteSize.text(limits.floor(space))) must stay free",
            subject: "--keep-free", advice: "make room, or remove older pictures with --on-limit prune or thin",
            systemError: ENOSPC)
    }
}
