// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The space that is left where pictures go.
enum FreeSpace {
    /// Bytes that we may still write into the file system of a folder (`statvfs`); `nil` where there is no such folder.
    static func bytes(at folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let (bytes, overflow) = status.f_bavail.multipliedReportingOverflow(by: status.f_frsize)
        return overflow ? .max : Int(clamping: bytes)
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
