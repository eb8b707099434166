// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import SystemBase
import UploadKit

/// A picture that is open for sending, and has the content of its account.
///
/// The hash is computed before anything is sent. Every later read checks that the file did not change since: its bytes
/// are only used if size and times are those from before the hash (`fstat(2)`).
final class PictureFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let version: Version

    /// The size and the times of a file. Programs cannot set the time of its last change (`st_ctim`).
    private struct Version: Equatable {
        var (size, seconds, nanoseconds) = (0, 0, 0)

        init?(_ descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            (size, seconds, nanoseconds) = (Int(status.st_size), status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Opens a file, and compares its size and its hash with its account. Blocks.
    ///
    /// - Throws: ``TransferFault/changed(_:)`` if it is another content, or cannot be read.
    init(_ upload: Upload, _ cancellation: Cancellation) throws(TransferFault) {
        let descriptor = open(upload.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.fault(errno) }
        guard let version = Version(descriptor) else {
            close(descriptor)
            throw .changed("the path no longer leads to a file")
        }
        (self.descriptor, self.version, byteCount) = (descriptor, version, version.size)
        guard byteCount == upload.byteCount else { throw .changed("the file has another size than its account") }
        guard try sha256(0..<byteCount, cancellation) == upload.sha256 else {
            throw .changed("the file has another content than its account")
        }
    }

    deinit { close(descriptor) }

    /// Fills a buffer with the bytes from `offset` on.
    ///
    /// - Returns: `false` if the file changed, or cannot be read.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            filled += count
        }
        return Version(descriptor) == version
    }

    /// Returns the hash of a range of the file, as 64 hexadecimal digits. Blocks.
    func sha256(_ range: Range<Int>, _ cancellation: Cancellation) throws(TransferFault) -> String {
        var sum = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        var offset = range.lowerBound
        while offset < range.upperBound {
            try cancellation.check()
            let count = min(piece.count, range.upperBound - offset)
            let isFilled = piece.withUnsafeMutableBytes { bytes in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
                guard fill(part, at: offset) else { return false }
                sum.add(UnsafeRawBufferPointer(part))
                return true
            }
            guard isFilled else { throw .changed("the file changed while it was read") }
            offset += count
        }
        return sum.digits()
    }

    private static func fault(_ number: Int32) -> TransferFault {
        switch number {
        case ENOENT, ENOTDIR: .changed("the file is gone")
        case EMFILE, ENFILE, ENOMEM: .unreachable("this machine cannot open more files", pause: nil)
        default: .changed("the file cannot be read: \(CaptureError.systemMessage(number))")
        }
    }
}
#endif
