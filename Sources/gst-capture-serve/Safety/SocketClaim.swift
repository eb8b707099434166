// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

/// The path of a Unix socket, which belongs to one service at a time.
///
/// A service removes the socket that an earlier one has left. The claim keeps it from removing one that is in use.
final class SocketClaim: Sendable {
    private let path: String
    private let lock: Int32

    /// Claims a path until the end of the process. Blocks.
    ///
    /// - Throws: `CaptureError` `.temporary`, with the process, if another one listens there.
    init(_ path: String) throws(CaptureError) {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .file(errno, path, "cannot be created") }
        (self.path, self.lock) = (path, lock)
        // Another service may be about to listen, so a lock comes first.
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw Self.inUse(path, by: Self.listener(at: path) ?? 0) }
        if let process = Self.listener(at: path) { throw Self.inUse(path, by: process) }
    }

    deinit { close(lock) }

    /// Gives the socket its group and its mode 0660: before that, the umask admits the owner and the process's group
    /// at most. Blocks.
    func share(with group: gid_t?) throws(CaptureError) {
        if let group, chown(path, uid_t.max, group) != 0 { throw .file(errno, path, "cannot be given its group") }
        guard chmod(path, 0o660) == 0 else { throw .file(errno, path, "cannot be given its mode") }
    }

    private static func inUse(_ path: String, by process: Int32) -> CaptureError {
        let name = process > 0 ? DeviceFiles.line("/proc/\(process)/comm").map { "\($0), " } : nil
        let holder =
            process > 0 ? "\(name ?? "")process \(process), listens there" : "another service begins to listen there"
        return CaptureError(
            .temporary, holder, subject: "unix:" + path, advice: "stop it, or give another --listen")
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

/// A group of users of this machine.
enum UserGroup {
    /// Returns the number of a group to which this process can give files. Blocks.
    ///
    /// - Throws: `CaptureError` if there is no such group, or the process is not a member.
    static func number(_ name: String) throws(CaptureError) -> gid_t {
        var (entry, result) = (group(), UnsafeMutablePointer<group>?.none)
        let number = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 65536) { buffer in
            getgrnam_r(name, &entry, buffer.baseAddress, buffer.count, &result) == 0 && result != nil
                ? entry.gr_gid : nil
        }
        guard let number else {
            throw CaptureError(.configuration, "there is no such group", subject: "socket-group: \(name)")
        }
        guard geteuid() == 0 || getegid() == number || memberships.contains(number) else {
            throw CaptureError(
                .permission, "the service is not a member of the group", subject: "socket-group: \(name)",
                advice: "add its user to the group")
        }
        return number
    }

    private static var memberships: [gid_t] {
        let count = getgroups(0, nil)
        guard count > 0 else { return [] }
        var groups = [gid_t](repeating: 0, count: Int(count))
        return getgroups(count, &groups) >= 0 ? groups : []
    }
}
#endif
