// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

extension StillStore {
    /// Checks that a picture may be stored at a path: it may replace a file, a link to a file or a broken link, but not
    /// a folder, a device or a link to one.
    package static func checkReplaceable(_ path: String) throws(CaptureError) {
        switch kind(of: path) {
        case nil, S_IFREG: return
        case S_IFLNK:
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        case S_IFDIR: throw isFolder(path)
        default: break
        }
        throw CaptureError(
            .cannotCreate, "is not a regular file, and is not replaced", subject: path,
            advice: "-o - is standard output")
    }

    /// Checks that a path names a file.
    package static func checkName(_ path: String) throws(CaptureError) {
        if path.hasSuffix("/") || kind(of: path) == S_IFDIR { throw isFolder(path) }
    }

    /// Checks that a link can be created at the path without replacing a file.
    package static func checkLink(_ link: String) throws(CaptureError) {
        guard let kind = kind(of: link), kind != S_IFLNK else { return }
        let what = kind == S_IFDIR ? "a folder" : "a file"
        throw CaptureError(
            .cannotCreate, "is \(what), not a link, and is not replaced", subject: link,
            advice: "give --latest another name")
    }

    private static func isFolder(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "is a folder", subject: path,
            advice: "give a file name, such as \(path.hasSuffix("/") ? path : path + "/")%n.jpg")
    }

    /// Returns the file type of a path (`lstat(2)`); `nil` if it does not exist.
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
