// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A regular file, open for reading. The file owns its descriptor, and closes it at the end of its life.
///
/// Opening refuses everything else that a path may lead to, and never waits, neither for the other end of a FIFO nor
/// for a device.
package struct RegularFile: ~Copyable {
    /// The reason why a file cannot be read.
    package enum Failure: Error, Hashable {
        /// The path contains a NUL, at which C would end it.
        case containsNUL
        /// The path leads to a folder.
        case isFolder
        /// The path leads to a FIFO, a socket or a device.
        case isNotRegular
        /// `open(2)` or `fstat(2)` failed with this error number.
        case notOpened(Int32)
        /// `read(2)` failed with this error number.
        case notRead(Int32)
    }

    /// The file's device, inode, size in bytes, and times when it was opened (`fstat(2)`).
    package let status: stat

    private let descriptor: Int32

    /// Opens a file, or the file that a link leads to (`open(2)`).
    package init(_ path: String) throws(Failure) {
        guard !path.utf8.contains(0) else { throw .containsNUL }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .notOpened(errno) }
        let status: stat
        do throws(Failure) {
            status = try Self.status(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        (self.status, self.descriptor) = (status, descriptor)
    }

    deinit { close(descriptor) }

    private static func status(_ descriptor: Int32) throws(Failure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .notOpened(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status
        case S_IFDIR: throw .isFolder
        default: throw .isNotRegular
        }
    }

    /// Returns `true` for a regular file, or for a link to one (`stat(2)`).
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension RegularFile {
    /// Returns the bytes up to the end of the file, at most `most`. Each call continues at the end of the previous one.
    ///
    /// - Throws: ``Failure/notRead(_:)``.
    package func bytes(most: Int) throws(Failure) -> [UInt8] {
        let (descriptor, size) = (descriptor, Int(status.st_size))
        var bytes: [UInt8] = []
        while bytes.count < most {
            // The size is only a hint: the file may grow, and the kernel's files have the size 0.
            let room = min(most - bytes.count, max(size - bytes.count, 4096))
            var result = Result<Int, Failure>.success(0)
            let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                result = Self.read(descriptor, buffer.baseAddress, buffer.count)
                count = (try? result.get()) ?? 0
            }
            if try result.get() == 0 { break }
            bytes += piece
        }
        return bytes
    }

    /// Overwrites the start of `piece` with the next bytes of the file.
    ///
    /// - Returns: The number of bytes, at most the length of `piece`; 0 at the end of the file.
    /// - Throws: ``Failure/notRead(_:)``.
    package func read(into piece: inout [UInt8]) throws(Failure) -> Int {
        try Self.read(descriptor, &piece, piece.count).get()
    }

    /// Calls `read(2)` until no signal interrupts it.
    private static func read(
        _ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ most: Int
    ) -> Result<Int, Failure> {
        while true {
            let count = Glibc.read(descriptor, start, most)
            if count >= 0 { return .success(count) }
            if errno != EINTR { return .failure(.notRead(errno)) }
        }
    }
}
