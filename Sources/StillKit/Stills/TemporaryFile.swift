// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Glibc

/// A file that gets its name when its content is durable. Every call blocks.
///
/// If the file system supports it (`O_TMPFILE`), the file has no name before that: a crash leaves nothing behind,
/// except between the two steps that replace another file. On others, such as FAT and NFS, it has a hidden name. A file
/// with a hidden name has a lock (`flock(2)`) that ends with the process: ``removeLeftovers(in:)`` removes hidden files
/// that no process has locked.
package struct TemporaryFile: ~Copyable {
    /// How the content is stored before the file gets its name.
    enum Kind: Hashable {
        /// Without a name, on the file system of this folder.
        case unnamed(folder: String)
        /// With a hidden name in this folder.
        case hidden(folder: String)
    }

    private let descriptor: Int32
    /// The folder in which the file gets its name.
    private let folder: String
    /// The path with the hidden name; `nil` if the file has no name or its final one.
    private var hidden: String?

    private init(_ descriptor: Int32, _ folder: String, hidden: String?) {
        (self.descriptor, self.folder, self.hidden) = (descriptor, folder, hidden)
    }

    /// Creates an empty file.
    ///
    /// - Parameters:
    ///   - path: The name that the file gets later, and that errors have as their subject.
    ///   - isPrivate: `true` for the mode 0600 at any umask.
    static func make(_ kind: Kind, for path: String, isPrivate: Bool = false) throws(CaptureError) -> TemporaryFile {
        let mode = isPrivate ? PrivateMode.file : 0o666
        let file =
            switch kind {
            case .unnamed(let folder):
                TemporaryFile(
                    open(folder, unnamed | O_RDWR | O_CLOEXEC, mode), StillFolder.path(of: path), hidden: nil)
            case .hidden(let folder): makeHidden(hiddenName(in: folder), for: path, mode)
            }
        guard file.descriptor >= 0 else { throw .file(errno, path, "cannot be created") }
        // Without the lock, another process may be removing this name now.
        guard file.isLocked else { throw .file(EAGAIN, path, "cannot be locked") }
        // The umask may have removed the owner's bits. A file system without modes refuses; the file is stored anyway.
        if isPrivate { fchmod(file.descriptor, mode) }
        return file
    }

    private static func makeHidden(_ name: String, for path: String, _ mode: mode_t) -> TemporaryFile {
        let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        return TemporaryFile(descriptor, StillFolder.path(of: path), hidden: descriptor >= 0 ? name : nil)
    }

    deinit {
        if let hidden { StillFolder.discard(hidden) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes the content, durably.
    func write(_ bytes: [UInt8], for path: String) throws(CaptureError) {
        try StillStore.write(bytes, to: descriptor, name: path)
        try sync(for: path)
    }

    /// Writes the content of another file with the time of its last change, durably, and reads it again from the disk.
    ///
    /// - Parameters:
    ///   - source: The file, from its current position on.
    ///   - name: The path of the source, for errors.
    ///   - path: The path of this file, for errors.
    /// - Returns: The size and the hash of the source.
    /// - Throws: ``CaptureError`` with `name` if the source cannot be read, with `path` if this file cannot be written, or
    ///   has other bytes than the source; `.temporary` if the task is canceled.
    func copy(_ source: borrowing RegularFile, from name: String, for path: String) throws(CaptureError) -> FileDigest {
        var sum = SHA256()
        var (count, piece) = (0, [UInt8](repeating: 0, count: 1 << 18))
        while true {
            if Task.isCancelled { throw CaptureError(.temporary, "copying was canceled", subject: name) }
            let taken: Int
            do throws(RegularFile.Failure) {
                taken = try source.read(into: &piece)
            } catch {
                throw CaptureError(error, name)
            }
            if taken == 0 { break }
            piece.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<taken])) }
            try StillStore.write(taken == piece.count ? piece : Array(piece[..<taken]), to: descriptor, name: path)
            count += taken
        }
        // The moment of a picture without EXIF. A file system that stores no times is no reason to copy nothing.
        _ = futimens(descriptor, [source.status.st_atim, source.status.st_mtim])
        try sync(for: path)
        let digest = FileDigest(byteCount: count, sha256: sum.digits())
        try verify(digest, path)
        return digest
    }

    /// Reads the file again. The kernel drops its pages first, so that the bytes come from the disk.
    private func verify(_ digest: FileDigest, _ path: String) throws(CaptureError) {
        posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
        let copy = dup(descriptor)
        guard copy >= 0 else { throw .file(errno, path, "cannot be read") }
        lseek(copy, 0, SEEK_SET)
        let file: RegularFile
        do throws(RegularFile.Failure) {
            file = try RegularFile(adopting: copy)
        } catch {
            throw CaptureError(error, path)
        }
        let found = try FileDigest(file, path, most: digest.byteCount)
        guard found.byteCount == digest.byteCount, found.sha256 == digest.sha256 else { throw .otherBytes(path) }
    }

    /// Gives the file its name atomically: no reader ever sees a part of it.
    ///
    /// - Throws: ``CaptureError`` with `EEXIST` if the name is taken and not to be replaced. The file does not have the
    ///   name then.
    mutating func move(to path: String, replacing: Bool) throws(CaptureError) {
        let failure = replacing ? try replace(path) : link(path)
        // A file server whose reply was lost has performed the request all the same; the repeated request finds the
        // name taken.
        guard failure != 0, !hasName(path) else { return }
        throw .file(failure, path, failure == EEXIST ? "" : "cannot be given its name")
    }

    /// Replaces the file at a path. Only a file with a name can replace another (`rename(2)`), so an unnamed file first
    /// gets a hidden name in the same folder.
    private mutating func replace(_ path: String) throws(CaptureError) -> Int32 {
        try StillStore.checkReplaceable(path)
        if hidden == nil {
            let name = Self.hiddenName(in: folder)
            // Without the lock, another process that cleans the folder now would remove this name.
            flock(descriptor, LOCK_EX | LOCK_NB)
            guard linkUnnamed(name) == 0 else { return errno }
            hidden = name
        }
        return renameHidden(path, replacing: true)
    }

    /// Gives the file a name that is free: link(2) refuses one that is taken, rename(2) would replace it.
    private mutating func link(_ path: String) -> Int32 {
        guard let hidden else { return linkUnnamed(path) == 0 ? 0 : errno }
        if Glibc.link(hidden, path) == 0 { return 0 }
        let failure = errno
        // FAT has no hard links.
        let hasLinks = failure != EPERM && failure != EOPNOTSUPP && failure != EMLINK && failure != ENOSYS
        return hasLinks ? failure : renameHidden(path, replacing: false)
    }

    private mutating func renameHidden(_ path: String, replacing: Bool) -> Int32 {
        guard let hidden else { return ENOENT }
        let failure = replacing ? Self.rename(hidden, path) : Self.renameToFreeName(hidden, path)
        if failure == 0 { self.hidden = nil }
        return failure
    }

    private static func rename(_ old: String, _ new: String) -> Int32 { Glibc.rename(old, new) == 0 ? 0 : errno }

    /// Renames a file unless the new name is taken (`renameat2(2)`). Returns 0, or the error number.
    static func renameToFreeName(_ old: String, _ new: String) -> Int32 {
        if crename_to_free_name(old, new) == 0 { return 0 }
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        // The file system lacks this call: a file that another process creates after the check is replaced.
        return DeviceFiles.exists(new) ? EEXIST : rename(old, new)
    }

    private func linkUnnamed(_ path: String) -> Int32 {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
    }

    /// Returns `true` if this file is at a path.
    private func hasName(_ path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_dev == there.st_dev
            && own.st_ino == there.st_ino
    }

    /// `true` if ``removeLeftovers(in:)`` keeps the hidden file. On file systems without locks it is `true` too.
    private var isLocked: Bool {
        guard let hidden else { return true }
        return (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && hasName(hidden)
    }

    /// `O_TMPFILE`, which Glibc declares for `_GNU_SOURCE` only.
    private static let unnamed: Int32 = 0o20000000 | O_DIRECTORY
}

// MARK: - Pieces

// Each call has a position, so that bytes can be replaced.
extension TemporaryFile {
    /// Creates an empty file in the folder of its path, of the first kind that the file system supports.
    static func made(for path: String, isPrivate: Bool) throws(CaptureError) -> TemporaryFile {
        let folder = StillFolder.path(of: path)
        do throws(CaptureError) {
            return try make(.unnamed(folder: folder), for: path, isPrivate: isPrivate)
        } catch {
            guard !error.isOfStorage else { throw error }
            return try make(.hidden(folder: folder), for: path, isPrivate: isPrivate)
        }
    }

    /// Writes bytes at a position.
    package func write(_ bytes: ArraySlice<UInt8>, at position: Int, for path: String) throws(CaptureError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.dropFirst(written).withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(position + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file(errno, path, "cannot be written") }
            written += count
        }
    }

    /// Overwrites the start of `piece` with at most `most` bytes at a position.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    package func read(
        into piece: inout [UInt8], most: Int, at position: Int, for path: String
    ) throws(CaptureError) -> Int {
        while true {
            let count = pread(descriptor, &piece, min(piece.count, most), off_t(position))
            if count >= 0 { return count }
            guard errno == EINTR else { throw .file(errno, path, "cannot be read") }
        }
    }

    /// Ends the file at a position.
    package func truncate(to byteCount: Int, for path: String) throws(CaptureError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .file(errno, path, "cannot be written") }
    }

    /// Makes the content durable.
    package func sync(for path: String) throws(CaptureError) {
        guard fsync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }

    /// Makes the content of all files on the file system durable (`syncfs(2)`).
    func syncFileSystem(for path: String) throws(CaptureError) {
        guard cfilesystem_sync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }

    /// Identifies the file system.
    var device: UInt64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : nil
    }

    /// Makes the content durable, and drops it from the memory of the kernel: the bytes that are read next come from the
    /// disk.
    package func syncAndDrop(for path: String) throws(CaptureError) {
        try sync(for: path)
        posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
    }
}

extension CaptureError {
    /// Creates the error of a copy whose bytes on the disk are not those that were written.
    package static func otherBytes(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "has other bytes than its source after writing", subject: path,
            advice: "check the disk, or choose another folder")
    }
}

// MARK: - Leftovers

extension TemporaryFile {
    private static let prefix = ".gst-capture-"
    private static let suffix = ".tmp"
    private static let digits = 16
    /// The age in seconds after which a file on a network file system is a leftover: locks of other machines may not be
    /// visible there.
    private static let patience: Int64 = 86_400

    /// Returns a hidden name that no file has. Its file has to be locked (`flock(2)`) while it is written.
    package static func hiddenName(in folder: String) -> String { name(of: .random(in: 0...UInt64.max), in: folder) }

    private static func name(of number: UInt64, in folder: String) -> String {
        "\(folder)/\(prefix)\(number.padded(to: digits, radix: 16))\(suffix)"
    }

    /// Returns the hidden name of a link until it replaces the link at `path`. It is always the same, so that at most
    /// one is left behind, which the next call finds.
    static func linkName(for path: String) -> String {
        // FNV-1a.
        let hash = DeviceFiles.name(of: path).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return name(of: hash, in: StillFolder.path(of: path))
    }

    /// Removes the hidden files that killed processes left in a folder. It keeps files that a process has locked and,
    /// on a network file system, files that are younger than a day.
    package static func removeLeftovers(in folder: String) {
        for name in DeviceFiles.names(in: folder) where isHidden(name) { removeLeftover("\(folder)/\(name)") }
    }

    private static func isHidden(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let middle = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        return middle.count == digits && middle.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static func removeLeftover(_ path: String) {
        // Network file systems lock only files that are open for writing.
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EISDIR { NameTrial.removeFolder(path) }
            return
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        let age = AgeClock.current().age(of: Int64(status.st_mtim.tv_sec))
        if NetworkFileSystem.holds(path), age ?? 0 < patience { return }
        unlink(path)
    }
}
