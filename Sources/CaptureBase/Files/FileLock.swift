// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// An empty file that has one owner at a time, in any process (`flock(2)`). The kernel releases it when the process ends,
/// even by a crash. The file stays.
package struct FileLock: ~Copyable, Sendable {
    /// The open file.
    package let descriptor: Int32

    /// Locks a file, which is created with the mode 0600 if it is missing; `nil` if it has another owner.
    ///
    /// - Throws: `CaptureError` if the file cannot be created or locked.
    package init?(_ path: String) throws(CaptureError) {
        guard let descriptor = try Self.locked(path, LOCK_EX | LOCK_NB) else { return nil }
        self.descriptor = descriptor
    }

    /// Locks a file, as ``init(_:)`` does, and waits until it has no other owner. Blocks.
    package init(waitingFor path: String) throws(CaptureError) {
        guard let descriptor = try Self.locked(path, LOCK_EX) else {
            throw .file(EWOULDBLOCK, path, "cannot be locked")
        }
        self.descriptor = descriptor
    }

    private static func locked(_ path: String, _ operation: Int32) throws(CaptureError) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(errno, path, "cannot be created") }
        while flock(descriptor, operation) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            guard code == EWOULDBLOCK else { throw .file(code, path, "cannot be locked") }
            return nil
        }
        return descriptor
    }

    deinit {
        // Closing alone keeps the lock while another process has the descriptor, too, as each child does between fork(2)
        // and execve(2).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
