// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

/// A file of a layer, read into memory: a regular file of limited size.
struct LayerFile {
    /// The size of the largest file that is read, in bytes.
    static let mostBytes = 64 << 20

    /// Identifies a version of a file: it differs if the file was replaced or rewritten.
    private struct Stamp: Hashable {
        let device: dev_t, inode: ino_t, size: off_t
        let seconds: Int, nanoseconds: Int

        init(_ status: stat) {
            (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private let stamp: Stamp
    let bytes: [UInt8]

    /// Reads a file. Reuses the bytes of `before` if the file has not changed.
    init(_ path: String, before: LayerFile?) throws(OverlayError) {
        do throws(RegularFile.Failure) {
            let file = try RegularFile(path)
            stamp = Stamp(file.status)
            if let before, before.stamp == stamp {
                bytes = before.bytes
            } else {
                bytes = try stamp.size > Self.mostBytes ? [] : file.bytes(most: Int(stamp.size))
            }
        } catch {
            throw OverlayError(error, path)
        }
        guard stamp.size <= Self.mostBytes else {
            throw OverlayError(.tooMuch, "is longer than \(Self.mostBytes >> 20) MiB", subject: path)
        }
    }
}

extension OverlayError {
    /// Creates the error of a layer's file that cannot be read.
    fileprivate init(_ failure: RegularFile.Failure, _ path: String) {
        let (code, message): (Code, String) =
            switch failure {
            case .containsNUL: (.noInput, "contains a NUL")
            case .isFolder, .isNotRegular: (.noInput, "is not a regular file")
            case .notOpened(let number), .notRead(let number):
                switch number {
                case ENOENT, ENOTDIR: (.noInput, "there is no such file")
                case EACCES, EPERM: (.permission, "permission denied")
                default: (.noInput, String(cString: strerror(number)))
                }
            }
        self.init(code, message, subject: path)
    }
}
