// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

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
        // Opening never waits, neither for the other end of a FIFO nor for a device.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OverlayError(.noInput, "is not a regular file", subject: path)
        }
        guard status.st_size <= Self.mostBytes else {
            throw OverlayError(.tooMuch, "is longer than \(Self.mostBytes >> 20) MiB", subject: path)
        }
        stamp = Stamp(status)
        if let before, before.stamp == stamp {
            bytes = before.bytes
        } else {
            bytes = try Self.read(descriptor, Int(status.st_size), path)
        }
    }

    private static func read(_ descriptor: Int32, _ size: Int, _ path: String) throws(OverlayError) -> [UInt8] {
        var (length, failure) = (0, Int32(0))
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size, let start = buffer.baseAddress {
                length = Glibc.read(descriptor, start + count, size - count)
                if length < 0, errno == EINTR { continue }
                if length < 0 { failure = errno }
                guard length > 0 else { break }
                count += length
            }
        }
        guard failure == 0 else { throw Self.failure(failure, path) }
        return bytes
    }

    private static func failure(_ code: Int32, _ path: String) -> OverlayError {
        switch code {
        case ENOENT, ENOTDIR: OverlayError(.noInput, "there is no such file", subject: path)
        case EACCES, EPERM: OverlayError(.permission, "permission denied", subject: path)
        default: OverlayError(.noInput, String(cString: strerror(code)), subject: path)
        }
    }
}
