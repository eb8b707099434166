// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Puts pictures into files so that each is durable, whole or not there: a temporary name in the same folder, fsync,
/// rename, fsync of the folder.
///
/// Every call blocks: use it on a thread where that is allowed.
struct StillStore: Sendable {
    let overwrites: Bool
    let latest: String?

    /// Writes a file; when it returns, the file survives a power cut.
    ///
    /// - Throws: ``CaptureError`` with the path; nothing is left behind.
    func write(_ bytes: [UInt8], to path: String) throws(CaptureError) {
        // C would take what is in front of it for the name.
        guard !path.utf8.contains(0), latest?.utf8.contains(0) != true else {
            throw CaptureError(.usage, "is no file name", subject: "output")
        }
        let folder = StillFolder.path(of: path)
        try StillFolder.make(folder)
        let temporary = StillFolder.temporaryFile(in: folder)
        do throws(CaptureError) {
            try Self.writeDurably(bytes, temporary, for: path)
            try moveIntoPlace(temporary, path)
        } catch {
            StillFolder.discard(temporary)
            throw error
        }
        try StillFolder.sync(folder)
    }

    private func moveIntoPlace(_ temporary: String, _ path: String) throws(CaptureError) {
        if overwrites {
            try Self.checkReplaceable(path)
            guard rename(temporary, path) == 0 else { throw .file(errno, path, "cannot be put in place") }
            return
        }
        // link() refuses a name that is taken; rename() would replace it.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return
        }
        // FAT has no links.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK else {
            throw .file(errno, path, "cannot be put in place")
        }
        guard !DeviceFiles.exists(path) else { throw .file(EEXIST, path, "") }
        guard rename(temporary, path) == 0 else { throw .file(errno, path, "cannot be put in place") }
    }

    /// Points the link, if there is to be one, at the newest picture; at no moment is there none.
    func pointLatest(at path: String) throws(CaptureError) {
        guard let link = latest else { return }
        try Self.checkLink(link)
        let folder = StillFolder.path(of: link)
        try StillFolder.make(folder)
        let target =
            StillFolder.path(of: path) == folder ? String(path.split(separator: "/").last ?? "") : Self.absolute(path)
        let temporary = StillFolder.temporaryFile(in: folder)
        guard symlink(target, temporary) == 0, rename(temporary, link) == 0 else {
            let failure = errno
            unlink(temporary)
            throw .file(failure, link, "cannot be pointed at the picture")
        }
    }

    /// What errors call standard output.
    static let standardOutput = "standard output"

    /// Writes to standard output, all of it.
    ///
    /// - Throws: ``CaptureError`` with ``standardOutput`` as its subject: whoever read is gone, and will not come back.
    static func writeToStandardOutput(_ bytes: [UInt8]) throws(CaptureError) {
        try write(bytes, to: STDOUT_FILENO, name: standardOutput)
    }

    // MARK: Steps

    private static func writeDurably(_ bytes: [UInt8], _ temporary: String, for path: String) throws(CaptureError) {
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw .file(errno, path, "cannot be made") }
        defer { close(file) }
        try write(bytes, to: file, name: path)
        guard fsync(file) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }

    private static func write(_ bytes: [UInt8], to file: Int32, name: String) throws(CaptureError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file(errno, name, "cannot be written") }
            written += count
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}
