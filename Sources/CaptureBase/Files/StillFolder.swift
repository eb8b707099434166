// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Glibc
import Synchronization

/// Creates, syncs and removes the folders of pictures. Every call blocks.
package enum StillFolder {
    /// Returns the folder of a file.
    package static func path(of file: String) -> String {
        // Bytes: a combining character after the slash would hide it.
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Creates a folder and its parents, durably.
    ///
    /// - Throws: ``CaptureError`` with the folder or parent that cannot be created. The system error is `ENOTDIR` for
    ///   the path of a file, and `ENOENT` for a link to a missing folder.
    package static func make(_ folder: String) throws(CaptureError) {
        var status = stat()
        if stat(folder, &status) == 0 { return try checkIsFolder(status, folder) }
        let parent = path(of: folder)
        if parent != folder { try make(parent) }
        if mkdir(folder, 0o777) != 0 {
            guard errno == EEXIST else { throw .file(errno, folder, "cannot be created") }
            // The name belongs to a folder or a file that another process has created meanwhile, or to a broken link.
            guard stat(folder, &status) == 0 else { throw .file(errno, folder, "is not a folder") }
            try checkIsFolder(status, folder)
        }
        do throws(CaptureError) {
            try syncName(of: folder)
        } catch {
            // The next attempt creates it again, durably.
            rmdir(folder)
            throw error
        }
    }

    private static func checkIsFolder(_ status: stat, _ path: String) throws(CaptureError) {
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .file(ENOTDIR, path, "") }
    }

    /// Removes a folder if it is empty, then its parents if they are empty, up to but not including `base`.
    package static func removeEmpty(_ folder: String, within base: String) {
        var folder = folder
        while folder != base, isWithin(folder, base), rmdir(folder) == 0 { folder = path(of: folder) }
    }

    private static func isWithin(_ folder: String, _ base: String) -> Bool {
        // Paths in the current folder do not begin with its name.
        if base == "." { return !folder.hasPrefix("/") }
        return folder.hasPrefix(base.hasSuffix("/") ? base : base + "/")
    }

    /// Makes the entries of a folder durable.
    package static func sync(_ folder: String) throws(CaptureError) {
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw .file(errno, folder, "cannot be opened") }
        defer { close(handle) }
        // Some file systems cannot sync a folder, and report EINVAL.
        guard fsync(handle) == 0 || errno == EINVAL else { throw .file(errno, folder, "cannot be made durable") }
    }

    /// Makes the name of a file or a folder durable.
    ///
    /// A folder that can be written but not read (mode 0333) cannot be opened to sync it. `syncfs(2)` on the file then
    /// writes the whole file system.
    package static func syncName(of path: String) throws(CaptureError) {
        do throws(CaptureError) {
            try sync(Self.path(of: path))
        } catch {
            guard error.systemError == EACCES else { throw error }
            try syncFileSystem(of: path)
        }
    }

    private static func syncFileSystem(of path: String) throws(CaptureError) {
        let handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard handle >= 0 else { throw .unreadableFolder(self.path(of: path)) }
        defer { close(handle) }
        guard cfilesystem_sync(handle) == 0 else {
            throw .file(errno, self.path(of: path), "cannot be made durable")
        }
    }

    /// Checks that files can be created in a folder.
    package static func checkWritable(_ folder: String) throws(CaptureError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw .file(errno, folder, "cannot be written") }
    }

    // MARK: Temporary files

    /// Removes a file that is not needed. If that fails, ``removeDiscarded()`` tries again, for 1000 files at most.
    package static func discard(_ file: String) {
        // Even after ENOENT the file may exist: its file system may be gone for now.
        if unlink(file) != 0 { discarded.withLock { if $0.count < 1000 { $0.insert(file) } } }
    }

    /// Tries once more to remove the files that ``discard(_:)`` could not remove, in all folders, and forgets them.
    /// Call it when pictures can be stored again.
    package static func removeDiscarded() {
        let files = discarded.withLock { files in
            defer { files = [] }
            return files
        }
        for file in files { unlink(file) }
    }

    private static let discarded = Mutex<Set<String>>([])
}
