// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

/// A movie that is open for reading, and for writing if its permissions allow it. Every call blocks.
package struct FileBytes: ~Copyable {
    /// The size in bytes when the file was opened.
    let byteCount: Int
    private let path: String
    private let descriptor: Int32
    /// The error number of opening for writing; 0 if it succeeded.
    private let writeFailure: Int32

    /// Opens a regular file, and locks it (`flock(2)`) until the end of this value's lifetime.
    ///
    /// - Throws: ``CaptureError`` with the path: `noInput` or `permission` if the file cannot be opened, `temporary` if
    ///   another process has locked it.
    init(_ path: String) throws(CaptureError) {
        guard !path.utf8.contains(0) else { throw CaptureError(.containsNUL, path) }
        let flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var (descriptor, failure) = (open(path, O_RDWR | flags), 0 as Int32)
        if descriptor < 0, errno == EACCES || errno == EROFS || errno == EPERM {
            failure = errno
            descriptor = open(path, O_RDONLY | flags)
        }
        guard descriptor >= 0 else { throw CaptureError(errno == EISDIR ? .isFolder : .notOpened(errno), path) }
        do throws(CaptureError) {
            byteCount = try Self.claim(descriptor, path)
        } catch {
            flock(descriptor, LOCK_UN)
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, writeFailure) = (path, descriptor, failure)
    }

    /// Takes over a descriptor that is open for reading and writing, and whose file is locked. The lock ends with this
    /// value.
    init(adopting descriptor: Int32, _ path: String) {
        var status = stat()
        byteCount = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        (self.path, self.descriptor, writeFailure) = (path, descriptor, 0)
    }

    /// Locks a file, and returns its size.
    private static func claim(_ descriptor: Int32, _ path: String) throws(CaptureError) -> Int {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw CaptureError(
                .temporary, "another process is working on this movie", subject: path, advice: "try again later")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CaptureError(.notOpened(errno), path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFDIR: throw CaptureError(.isFolder, path)
        default: throw CaptureError(.isNotRegular, path)
        }
    }

    deinit {
        // A child that another thread starts has a copy of the descriptor until its program runs: closing alone would
        // keep the lock until then.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the bytes of a range, up to the size that the file had when it was opened.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if reading fails, or the file has become shorter.
    func bytes(_ range: Range<Int>) throws(CaptureError) -> [UInt8] {
        let range = range.clamped(to: 0..<byteCount)
        guard !range.isEmpty else { return [] }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<range.count])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
                if count > 0 { filled += count }
                if count == 0 { return }
                if count < 0, errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw .file(failure, path, "cannot be read") }
        guard bytes.count == range.count else {
            throw CaptureError(
                .temporary, "became shorter while it was read", subject: path, advice: "try again later")
        }
        return bytes
    }

    /// Returns the size of the file now, in bytes.
    func currentByteCount() throws(CaptureError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(errno, path, "cannot be read") }
        return Int(status.st_size)
    }

    /// Checks that the file can be written, and is not written by another process.
    func checkWritable() throws(CaptureError) {
        guard writeFailure == 0 else { throw .file(writeFailure, path, "cannot be opened for writing") }
        guard try currentByteCount() == byteCount else {
            throw CaptureError(
                .temporary, "is still being recorded", subject: path, advice: "end the recording first")
        }
    }

    /// Writes bytes at a position.
    func write(_ bytes: [UInt8], at position: Int) throws(CaptureError) {
        try Self.write(bytes, at: position, to: descriptor, path)
    }

    /// Writes all bytes at a position of a file that is open for writing (`pwrite(2)`).
    ///
    /// - Throws: ``CaptureError`` with the path; some of the bytes can be written then.
    package static func write(
        _ bytes: [UInt8], at position: Int, to descriptor: Int32, _ path: String
    ) throws(CaptureError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(position + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file(count < 0 ? errno : EIO, path, "cannot be written") }
            written += count
        }
    }

    /// Ends the file at a position.
    func truncate(to byteCount: Int) throws(CaptureError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .file(errno, path, "cannot be truncated") }
    }

    /// Makes the content durable (`fdatasync(2)`).
    func sync() throws(CaptureError) {
        guard fdatasync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }
}
