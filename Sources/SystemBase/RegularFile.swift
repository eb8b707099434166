// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A regular file, open for reading. This value owns the descriptor, and closes it at the end of its lifetime.
///
/// Opening fails if the path leads to anything else, and never waits for the other end of a FIFO or for a device.
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
    ///
    /// - Throws: Any ``Failure`` except ``Failure/notRead(_:)``.
    package init(_ path: String) throws(Failure) {
        guard !path.utf8.contains(0) else { throw .containsNUL }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        // Sockets cannot be opened, nor the nodes of devices that do not exist.
        guard descriptor >= 0 else { throw errno == ENXIO ? .isNotRegular : .notOpened(errno) }
        try self.init(adopting: descriptor)
    }

    /// Takes over a descriptor that is open for reading. If this throws, the descriptor is closed.
    ///
    /// - Throws: ``Failure/isFolder``, ``Failure/isNotRegular`` or ``Failure/notOpened(_:)``.
    package init(adopting descriptor: Int32) throws(Failure) {
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

    /// A path that leads to this file while this value exists, also if the file was moved (`proc_pid_fd(5)`).
    package var linkPath: String { "/proc/self/fd/\(descriptor)" }

    /// `true` if the file has the size and the time of its last change that it had when it was opened (`fstat(2)`).
    package var isUnchanged: Bool {
        var now = stat()
        return fstat(descriptor, &now) == 0 && now.st_size == status.st_size
            && now.st_mtim.tv_sec == status.st_mtim.tv_sec && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    }

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
    /// Returns the next bytes up to the end of the file, at most `most`. Each call continues after the previous one.
    ///
    /// - Throws: ``Failure/notRead(_:)``.
    package func bytes(most: Int) throws(Failure) -> [UInt8] {
        // The size is only a hint: the file may grow, and the kernel's files have the size 0.
        var bytes = try Self.bytes(descriptor, min(most, Int(status.st_size)))
        while bytes.count < most {
            let more = try Self.bytes(descriptor, min(most - bytes.count, 4096))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Returns the next `count` bytes; fewer only at the end of the file. It reads them into the array that it returns:
    /// a large file must not be in memory twice.
    private static func bytes(_ descriptor: Int32, _ count: Int) throws(Failure) -> [UInt8] {
        // With no capacity, Swift would write the count 0 into the storage that all empty arrays share.
        guard count > 0 else { return [] }
        var failure: Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
                switch Self.read(descriptor, rest.baseAddress, rest.count) {
                case .success(0): return
                case .success(let more): filled += more
                case .failure(let error):
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Continues at a position, in bytes from the start of the file (`lseek(2)`).
    ///
    /// - Throws: ``Failure/notRead(_:)``.
    package func seek(to position: Int) throws(Failure) {
        guard lseek(descriptor, off_t(position), SEEK_SET) >= 0 else { throw .notRead(errno) }
    }

    /// Returns the last bytes of the file, at most `most`, by its size when it was opened. The next bytes of other calls
    /// stay the same (`pread(2)`).
    ///
    /// - Throws: ``Failure/notRead(_:)``.
    package func tail(_ most: Int) throws(Failure) -> [UInt8] {
        let count = min(most, Int(status.st_size))
        guard count > 0 else { return [] }
        var failure: Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
                let more = pread(descriptor, rest.baseAddress, rest.count, off_t(Int(status.st_size) - count + filled))
                if more > 0 { filled += more }
                if more == 0 { return }
                if more < 0, errno != EINTR {
                    failure = .notRead(errno)
                    return
                }
            }
        }
        if let failure { throw failure }
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
