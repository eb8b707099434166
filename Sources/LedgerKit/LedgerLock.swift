// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Limits a series to one process (`flock(2)`). The lock is released when that process ends, even by a crash.
///
/// The lock is on a separate file, since closing any other descriptor of a ledger would drop SQLite's locks on it.
struct LedgerLock: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Acquires the lock. If another process has it, the error names that process.
    init(of ledger: String) throws(CaptureError) {
        // No property is set before the call that may throw: Swift 6.2 destroys properties that were never set if one
        // was.
        let path = ledger + "-lock"
        descriptor = try Self.locked(path, ledger)
        self.path = path
        let process = "\(getpid())\n"
        ftruncate(descriptor, 0)
        _ = process.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    /// `false` if its file was removed, or is gone with its disk.
    var isInPlace: Bool { Self.isNamed(descriptor, path) }

    /// `true` if processes can share memory through a file here (`mmap(2)`), which SQLite's log needs. Some network
    /// file systems cannot, and do not identify themselves.
    var canShareMemory: Bool {
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard memory != MAP_FAILED else { return false }
        munmap(memory, 4096)
        return true
    }

    deinit {
        // A process that has the file open detects with `isNamed` that the path is gone. A file of another process must
        // stay there.
        if isInPlace { unlink(path) }
        // Closing alone keeps the lock while another process has the descriptor, too, as each child does between fork(2)
        // and execve(2).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func locked(_ path: String, _ ledger: String) throws(CaptureError) -> Int32 {
        for _ in 0..<100 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw .file(errno, path, "cannot be created") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(descriptor) }
                guard errno == EWOULDBLOCK else { throw .file(errno, path, "cannot be locked") }
                throw .ledgerInUse(ledger, by: owner(descriptor))
            }
            if isNamed(descriptor, path) { return descriptor }
            close(descriptor)
        }
        throw .ledgerInUse(ledger, by: nil)
    }

    /// `false` if the file was removed, or if another one is in its place.
    private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
