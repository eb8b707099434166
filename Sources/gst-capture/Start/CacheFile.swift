// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// Small files in the user's cache folder.
enum CacheFile {
    /// Returns text that changes with a file, or with the entries of a folder; `nil` if the path does not exist.
    static func identity(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// Returns the first 64 KiB of a file as text; `nil` if it cannot be read. It follows no link.
    static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Returns the path in a link (`readlink`); `nil` if the path is not a link.
    static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Creates a link, or replaces it atomically. Returns `false` if that is not possible.
    static func link(_ path: String, to target: String) -> Bool {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        guard symlink(target, temporary) == 0 else { return false }
        guard rename(temporary, path) != 0 else { return true }
        unlink(temporary)
        return false
    }

    /// Writes a file atomically (`rename`), and creates its folder. Two captures that start at once leave one whole
    /// file. Returns `false` if that is not possible.
    @discardableResult
    static func write(_ text: String, to path: String) -> Bool {
        mkdir(DeviceFiles.folder(of: path), 0o700)
        let temporary = "\(path).\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count
        let isReplaced = close(file) == 0 && isWritten && rename(temporary, path) == 0
        if !isReplaced { unlink(temporary) }
        return isReplaced
    }
}
