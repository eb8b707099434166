// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension StillStore {
    /// Looks whether a picture may take the place of what is there: a file, and neither a folder nor a device.
    static func checkReplaceable(_ path: String) throws(CaptureError) {
        switch kind(of: path) {
        case nil, S_IFREG: return
        case S_IFLNK:
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        case S_IFDIR: throw isFolder(path)
        default: break
        }
        throw CaptureError(
            .cannotCreate, "is no file, and is left alone", subject: path, advice: "-o - is standard output")
    }

    /// Looks whether a path names a file.
    static func checkName(_ path: String) throws(CaptureError) {
        if path.hasSuffix("/") || kind(of: path) == S_IFDIR { throw isFolder(path) }
    }

    /// Looks whether a link may be put there, and no file be lost.
    static func checkLink(_ link: String) throws(CaptureError) {
        guard let kind = kind(of: link), kind != S_IFLNK else { return }
        let what = kind == S_IFDIR ? "a folder" : "a file"
        throw CaptureError(
            .cannotCreate, "is \(what) and no link, and is left alone", subject: link,
            advice: "give --latest another name")
    }

    private static func isFolder(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "is a folder", subject: path,
            advice: "give a file name, such as \(path.hasSuffix("/") ? path : path + "/")%n.jpg")
    }

    /// What kind of thing is there (`lstat(2)`).
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
