// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The path of a Unix socket, which belongs to one process at a time.
///
/// A process removes the socket that an earlier one has left. The claim keeps it from removing one that is in use. The
/// lock is the file `PATH.lock`, which stays.
package final class SocketClaim: Sendable {
    private let path: String
    private let lock: FileLock
    /// The option with which the user gives another path.
    private let option: String

    /// Claims a path until the end of the process. Blocks.
    ///
    /// - Parameter option: The option with the path, for the advice of an error.
    /// - Throws: `CaptureError` `.temporary`, with the process, if another one listens there.
    package init(_ path: String, option: String) throws(CaptureError) {
        (self.path, self.option) = (path, option)
        // Another process may be about to listen, so a lock comes first.
        guard let lock = try FileLock(path + ".lock") else {
            throw Self.inUse(path, by: Self.listener(at: path) ?? 0, option)
        }
        self.lock = lock
        if let process = Self.listener(at: path) { throw Self.inUse(path, by: process, option) }
    }

    /// Gives the socket its group and its mode 0660: before that, the umask admits the owner and the process's group
    /// at most. Blocks.
    package func share(with group: gid_t?) throws(CaptureError) {
        if let group, chown(path, uid_t.max, group) != 0 { throw .file(errno, path, "cannot be given its group") }
        guard chmod(path, 0o660) == 0 else { throw .file(errno, path, "cannot be given its mode") }
    }

    private static func inUse(_ path: String, by process: Int32, _ option: String) -> CaptureError {
        let name = process > 0 ? DeviceFiles.line("/proc/\(process)/comm").map { "\($0), " } : nil
        let holder =
            process > 0 ? "\(name ?? "")process \(process), listens there" : "another process begins to listen there"
        return CaptureError(
            .temporary, holder, subject: "unix:" + path, advice: "stop it, or give another \(option)")
    }

    /// Returns the process that listens at a path; `nil` if there is none, as after a crash.
    private static func listener(at path: String) -> Int32? {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A full queue of connections belongs to a process, too.
        guard result == 0 || errno == EAGAIN else { return nil }
        var (credentials, size) = (PeerIdentity(), socklen_t(MemoryLayout<PeerIdentity>.size))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return 0 }
        return credentials.process
    }

    /// `struct ucred`.
    private struct PeerIdentity {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }
}
