// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Folders that pictures are put into. Every call blocks.
enum StillFolder {
    private static let prefix = ".gst-capture-"
    private static let suffix = ".tmp"

    /// The folder of a file.
    static func path(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Makes a folder, and those that it is in, durably.
    static func make(_ folder: String) throws(CaptureError) {
        var status = stat()
        if stat(folder, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .file(ENOTDIR, folder, "") }
            return
        }
        let parent = path(of: folder)
        if parent != folder { try make(parent) }
        guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .file(errno, folder, "cannot be made") }
        try sync(parent)
    }

    /// Removes a folder where nothing is left in it, and those that it is in, up to but not including `base`.
    static func removeEmpty(_ folder: String, within base: String) {
        var folder = folder
        while folder != base, isWithin(folder, base), rmdir(folder) == 0 { folder = path(of: folder) }
    }

    private static func isWithin(_ folder: String, _ base: String) -> Bool {
        // The current folder is named by none of those in it.
        if base == "." { return !folder.hasPrefix("/") }
        return folder.hasPrefix(base.hasSuffix("/") ? base : base + "/")
    }

    /// Makes durable which files are in a folder.
    static func sync(_ folder: String) throws(CaptureError) {
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw .file(errno, folder, "cannot be opened") }
        defer { close(handle) }
        // Some file systems cannot sync a folder, and say so.
        guard fsync(handle) == 0 || errno == EINVAL else { throw .file(errno, folder, "cannot be made durable") }
    }

    /// Looks whether files can be made in a folder.
    static func checkWritable(_ folder: String) throws(CaptureError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw .file(errno, folder, "cannot be written") }
    }

    // MARK: Temporary files

    /// Removes a file that nobody wants; where that cannot be done now, ``removeDiscarded()`` does it later.
    static func discard(_ file: String) {
        // Not there either is no sign that it is gone: its file system may be.
        if unlink(file) != 0 { discarded.withLock { if $0.count < 1000 { $0.insert(file) } } }
    }

    /// Removes what could not be removed before, in a file system that can be written again.
    static func removeDiscarded() {
        let files = discarded.withLock { files in
            defer { files = [] }
            return files
        }
        for file in files { unlink(file) }
    }

    private static let discarded = Mutex<Set<String>>([])

    /// A path in a folder that nothing has.
    static func temporaryFile(in folder: String) -> String { "\(folder)/\(prefix)\(getpid())-\(serial())\(suffix)" }

    /// Removes what killed processes left in a folder. Files of processes that live are theirs.
    static func removeLeftovers(in folder: String) {
        for name in DeviceFiles.names(in: folder) {
            guard let process = owner(ofTemporary: name), !isAlive(process) else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    /// The process that made a temporary file; `nil` for other files.
    private static func owner(ofTemporary name: String) -> pid_t? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(separator: "-")
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0, Int(parts[1]) != nil else { return nil }
        return process
    }

    private static func isAlive(_ process: pid_t) -> Bool {
        process == getpid() || kill(process, 0) == 0 || errno == EPERM
    }

    /// A number that no other file of this process gets, nor one that an earlier process of the same number left.
    private static func serial() -> UInt64 { nextSerial.add(1, ordering: .relaxed).newValue }

    private static let nextSerial: Atomic<UInt64> = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Atomic(UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec))
    }()
}
