// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

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
