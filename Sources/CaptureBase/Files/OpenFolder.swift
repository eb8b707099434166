// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Glibc
import SystemBase

/// An open folder, below which files are opened and removed: no link and no `..` of a path leads out of it. Use it for
/// paths that another program may have written, such as those of a ledger.
///
/// This value owns the descriptor, and closes it at the end of its lifetime. Every call blocks.
package struct OpenFolder: ~Copyable {
    private let descriptor: Int32
    /// `true` to open each part of a path by itself, as on kernels before Linux 5.6 and in sandboxes without
    /// `openat2(2)`. Links below the folder are then refused, also those that stay in it.
    private let walks: Bool

    private static let folderFlags = OpenFlag.path | O_DIRECTORY | O_CLOEXEC
    private static let fileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    /// `openat2(2)` gives up with `EAGAIN` if a folder is renamed meanwhile.
    private static let attempts = 8

    /// Opens a folder, or the folder that a link leads to.
    ///
    /// - Parameter walks: `true` to do without `openat2(2)`; tests set it.
    package init(_ path: String, walks: Bool = false) throws(RegularFile.Failure) {
        guard !path.utf8.contains(0) else { throw .containsNUL }
        let descriptor = open(path, Self.folderFlags)
        guard descriptor >= 0 else { throw .notOpened(errno) }
        self.init(descriptor, walks: walks)
    }

    private init(_ descriptor: Int32, walks: Bool) { (self.descriptor, self.walks) = (descriptor, walks) }

    deinit { close(descriptor) }

    /// Opens a regular file.
    ///
    /// - Parameter path: The path from this folder.
    /// - Throws: The errors of ``RegularFile``; ``RegularFile/Failure/notOpened(_:)`` with `EXDEV` or `ELOOP` if the
    ///   path leads out of the folder.
    package func file(_ path: String) throws(RegularFile.Failure) -> RegularFile {
        let descriptor = try descriptor(of: path, Self.fileFlags)
        return try RegularFile(adopting: descriptor)
    }

    /// Opens a folder below this one. The path `.` is this folder.
    ///
    /// - Throws: As ``file(_:)``.
    package func folder(_ path: String) throws(RegularFile.Failure) -> OpenFolder {
        OpenFolder(try descriptor(of: path, Self.folderFlags), walks: walks)
    }

    /// Removes a file of this folder, or a link (`unlinkat(2)`). The removal is durable after ``sync()``.
    ///
    /// - Parameter name: The name of the file, without a folder.
    /// - Returns: 0, or the error number.
    package func remove(_ name: String) -> Int32 {
        guard !name.utf8.contains(0), !name.contains("/") else { return EINVAL }
        return unlinkat(descriptor, name, 0) == 0 ? 0 : errno
    }

    /// Makes the entries of the folder durable.
    ///
    /// - Returns: 0, or the error number.
    package func sync() -> Int32 {
        // A descriptor of O_PATH cannot be synced.
        let handle = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return errno }
        defer { close(handle) }
        // Some file systems cannot sync a folder, and report EINVAL.
        return fsync(handle) == 0 || errno == EINVAL ? 0 : errno
    }

    private func descriptor(of path: String, _ flags: Int32) throws(RegularFile.Failure) -> Int32 {
        guard !path.utf8.contains(0) else { throw .containsNUL }
        if !walks, let found = openBelow(path, flags) { return try Self.checked(found) }
        return try walk(path, flags)
    }

    /// Opens a path with `openat2(2)`; `nil` if the kernel or a sandbox lacks it.
    private func openBelow(_ path: String, _ flags: Int32) -> Int32? {
        for _ in 0..<Self.attempts {
            let found = copen_below(descriptor, path, flags)
            if found >= 0 { return found }
            switch errno {
            case EAGAIN, EINTR: continue
            // A sandbox that does not know the call refuses it with EPERM; so does a file that may not be read.
            case ENOSYS, EPERM: return nil
            default: return found
            }
        }
        return nil
    }

    /// Opens each part of a path in the folder before it, and follows no link.
    private func walk(_ path: String, _ flags: Int32) throws(RegularFile.Failure) -> Int32 {
        guard !path.hasPrefix("/") else { throw .notOpened(EXDEV) }
        let parts = path.split(separator: "/").filter { $0 != "." }
        guard !parts.contains("..") else { throw .notOpened(EXDEV) }
        guard let last = parts.last else { return try Self.checked(openat(descriptor, ".", flags)) }
        var parent = OpenFolder(try Self.checked(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)), walks: true)
        for part in parts.dropLast() {
            parent = OpenFolder(
                try Self.checked(openat(parent.descriptor, String(part), Self.folderFlags | O_NOFOLLOW)), walks: true)
        }
        return try Self.checked(openat(parent.descriptor, String(last), flags | O_NOFOLLOW))
    }

    private static func checked(_ descriptor: Int32) throws(RegularFile.Failure) -> Int32 {
        // Sockets cannot be opened, nor the nodes of devices that do not exist.
        guard descriptor >= 0 else { throw errno == ENXIO ? .isNotRegular : .notOpened(errno) }
        return descriptor
    }
}
