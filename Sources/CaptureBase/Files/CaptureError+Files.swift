// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension CaptureError {
    /// Creates the error of a failed file operation from its errno value, with advice.
    ///
    /// - Parameter what: The failure, such as `cannot be written`. Messages for well-known numbers omit it.
    package static func file(_ number: Int32, _ path: String, _ what: String) -> CaptureError {
        let reason = String(cString: strerror(number))
        func error(_ code: Code, _ message: String, _ advice: String?) -> CaptureError {
            CaptureError(code, message, subject: path, advice: advice, systemError: number)
        }
        switch number {
        case EEXIST: return error(.cannotCreate, "exists already", "use --overwrite, or put %n into the name")
        case ENOSPC: return error(.inputOutput, "the disk is full", "make room, or choose another folder")
        case EDQUOT: return error(.inputOutput, "the disk quota is used up", "make room, or choose another folder")
        case EACCES, EPERM: return error(.permission, "\(what): \(reason)", "choose a folder that you may write")
        case EROFS:
            return error(.cannotCreate, "the file system is read-only", "mount it writable, or choose another folder")
        case EFBIG:
            return error(
                .inputOutput, "the file system has no files of this size", "choose a folder of another file system")
        case EINVAL, EILSEQ: return .refusedName(number, path)
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP:
            let remedy = number == ENAMETOOLONG ? "choose a shorter name" : "choose another folder or name"
            return error(.cannotCreate, what.isEmpty ? reason : "\(what): \(reason)", remedy)
        default: return error(.inputOutput, "\(what): \(reason)", nil)
        }
    }

    /// Creates the error of a name that the file system refuses, or would store as another one.
    ///
    /// - Parameter other: The name that it stores; `nil` if it refuses the name.
    package static func refusedName(_ number: Int32, _ path: String, storedAs other: String? = nil) -> CaptureError {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let found = name.filter { #":*?"<>|\"#.contains($0) }
        let advice =
            found.isEmpty && !name.hasSuffix(".") && !name.hasSuffix(" ")
            ? "choose another name"
            : #"FAT, exFAT and NTFS have no names with \ : * ? " < > |, nor with a dot or a space at the end"#
        let problem =
            other.map { "would store this name as \($0.quoted)" } ?? "refuses this name: \(systemMessage(number))"
        return CaptureError(
            .cannotCreate, "the file system \(problem)", subject: path, advice: advice, systemError: number)
    }

    /// Creates the error of a folder that cannot be made durable, because it can be written but not read.
    static func unreadableFolder(_ folder: String) -> CaptureError {
        CaptureError(
            .permission, "cannot be made durable: \(systemMessage(EACCES))", subject: folder,
            advice: "make the folder readable", systemError: EACCES)
    }

    /// Creates the error of a frame that is truncated, or is not a picture.
    package static func damaged(_ format: String) -> CaptureError {
        CaptureError(.inputOutput, "the frame is not a complete \(format) picture", advice: "try the next frame")
    }
}

extension CaptureError {
    /// `true` if the cause is the storage, not the picture or its name, so that the same call may succeed later.
    package var isOfStorage: Bool {
        switch systemError {
        case ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, EHOSTDOWN, ETIMEDOUT, EAGAIN, EBUSY, ENOMEM,
            ENOBUFS, EMFILE, ENFILE:
            true
        default: false
        }
    }

    /// `true` if the disk or the quota is full, so that removing pictures makes room.
    package var isFullDisk: Bool { systemError == ENOSPC || systemError == EDQUOT }

    /// Returns the same error with a path as its subject.
    package func about(_ path: String) -> CaptureError {
        CaptureError(code, message, subject: path, advice: advice, systemError: systemError)
    }

    /// Creates the error of a `--mount` path that is not a mount point.
    static func notMounted(_ mount: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "nothing is mounted there", subject: mount,
            advice: "plug in what belongs there, or mount it; without --mount pictures go into the folder itself",
            systemError: ENODEV)
    }

    /// Creates the error of a folder whose file system is not the one on which the series began.
    static func vanished(_ folder: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the file system of the pictures is gone", subject: folder,
            advice: "connect or mount it again; nothing is written to the folder underneath it", systemError: ENODEV)
    }

    /// Creates the error of a folder that is not on the file system at the `--mount` path.
    static func outside(_ mount: String, _ folder: String) -> CaptureError {
        CaptureError(
            .usage, "pictures would go to \(folder), which is not in \(mount)", subject: "--mount",
            advice: "give an --output in it, or leave out --mount")
    }
}
