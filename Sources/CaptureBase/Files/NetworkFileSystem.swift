// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux

/// File systems that other machines may write to, too (`statfs(2)`).
package enum NetworkFileSystem {
    // From linux/magic.h: NFS, SMB, CIFS, SMB2, 9P, FUSE (sshfs among others), Ceph, AFS (OpenAFS and Linux's own),
    // Coda, NCP, GFS2, OCFS2.
    private static let types: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x6573_5546, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
        0x7375_7245, 0x564C, 0x0116_1970, 0x7461_636F,
    ]

    /// Returns `true` if a file, or its folder if the file does not exist, is on such a file system.
    package static func holds(_ path: String) -> Bool {
        var status = statfs()
        guard statfs(path, &status) == 0 || statfs(StillFolder.path(of: path), &status) == 0 else { return false }
        return types.contains(UInt32(truncatingIfNeeded: status.f_type))
    }
}
