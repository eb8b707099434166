// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Stores pictures in files. Each file is durable and complete, or does not exist: the store writes the content, syncs
/// it (`fsync(2)`), gives the file its name, and syncs the folder.
///
/// Every call blocks: use it on a thread that may block.
package struct StillStore: Sendable {
    private let overwrites: Bool
    private let latest: String?
    /// The folder of temporary files on file systems that require names for them; `nil` for the folder of each picture.
    /// With one such folder, leftovers of a whole series are in one place, even if the pictures are in many folders.
    private let hiddenFolder: String?
    /// `true` if files have the mode 0600 at any umask.
    private let isPrivate: Bool

    /// Creates a store.
    ///
    /// - Parameter isPrivate: `true` to give files the mode 0600 at any umask; `false` to leave their mode to the
    ///   umask.
    package init(overwrites: Bool, latest: String?, hiddenFolder: String? = nil, isPrivate: Bool = false) {
        (self.overwrites, self.latest) = (overwrites, latest)
        (self.hiddenFolder, self.isPrivate) = (hiddenFolder, isPrivate)
    }

    /// Writes a file. When it returns, the file survives a power cut.
    ///
    /// - Throws: The errors of ``place(_:at:)``; ``CaptureError`` with the folder if the name cannot be made durable.
    ///   The file is removed then, unless the store overwrites files.
    package func write(_ bytes: [UInt8], to path: String) throws(CaptureError) {
        try place(bytes, at: path)
        do throws(CaptureError) {
            try makeDurable(path)
        } catch {
            if !overwrites { unlink(path) }
            throw error
        }
    }

    /// Writes a file. When it returns, its content is durable; its name is durable after ``makeDurable(_:)``.
    ///
    /// - Throws: ``CaptureError`` with the path, or with the folder if it cannot be created. New folders stay. After an
    ///   error of the disk the file may be in place, because a server's reply can be lost: ``holds(_:at:)`` checks
    ///   that.
    package func place(_ bytes: [UInt8], at path: String) throws(CaptureError) {
        try place(at: path) { file throws(CaptureError) in try file.write(bytes, for: path) }
    }

    /// Replaces a file, durably: a reader finds the old content or the new one.
    ///
    /// - Throws: The errors of ``write(_:to:)``. The file has either content then.
    package func replace(_ path: String, with bytes: [UInt8]) throws(CaptureError) {
        try StillStore(overwrites: true, latest: nil, hiddenFolder: hiddenFolder, isPrivate: isPrivate).write(
            bytes, to: path)
    }

    /// Copies a file with the time of its last change, durably. The copy gets its name when it was read again from the disk and has the same bytes.
    ///
    /// - Parameter source: The path of the file, which is opened for reading alone.
    /// - Returns: The size and the hash of the file.
    /// - Throws: ``CaptureError`` with the source if it cannot be read; the errors of ``write(_:to:)``; `.temporary` if the
    ///   task is canceled.
    package func copy(_ source: String, to path: String) throws(CaptureError) -> FileDigest {
        var digest: FileDigest?
        try place(at: path) { file throws(CaptureError) in
            digest = try file.copy(try RegularFile.opened(source), from: source, for: path)
        }
        try makeDurable(path)
        guard let digest else { throw CaptureError(.software, "was not copied", subject: source) }
        return digest
    }

    /// Writes a file in pieces, durably. It has its name when it is complete, and replaces no file.
    ///
    /// - Parameter fill: Writes the content. It is called once, as it can take minutes; `false` to leave no file.
    /// - Throws: The errors of `fill` and of ``write(_:to:)``; `EEXIST` if the name is taken. There is no new file then.
    package func write(
        to path: String, _ fill: (borrowing TemporaryFile) throws(CaptureError) -> Bool
    ) throws(CaptureError) {
        let folder = StillFolder.path(of: path)
        try StillFolder.make(folder)
        var file = try TemporaryFile.made(for: path, isPrivate: isPrivate)
        guard try fill(file) else { return }
        try file.sync(for: path)
        try file.move(to: path, replacing: false)
        do throws(CaptureError) {
            try makeDurable(path)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes a file with the first kind of temporary file that the file system supports.
    private func place(
        at path: String, _ fill: (borrowing TemporaryFile) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        // C would use the text before a NUL as the name.
        guard !path.utf8.contains(0), latest?.utf8.contains(0) != true else {
            throw CaptureError(.usage, "is not a file name", subject: "output")
        }
        let folder = StillFolder.path(of: path)
        try StillFolder.make(folder)
        var kinds: [TemporaryFile.Kind] = [.unnamed(folder: folder), .hidden(folder: folder)]
        if let hiddenFolder { kinds.insert(.hidden(folder: hiddenFolder), at: 1) }
        while true {
            do throws(CaptureError) {
                return try place(at: path, kinds.removeFirst(), fill)
            } catch {
                // A file system that does not support one kind may support the next.
                guard !kinds.isEmpty, !error.isOfStorage, error.systemError != EEXIST else { throw error }
            }
        }
    }

    private func place(
        at path: String, _ kind: TemporaryFile.Kind, _ fill: (borrowing TemporaryFile) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        if case .hidden(let folder) = kind, folder == hiddenFolder { try StillFolder.make(folder) }
        var file = try TemporaryFile.make(kind, for: path, isPrivate: isPrivate)
        try fill(file)
        try file.move(to: path, replacing: overwrites)
    }

    /// Makes the name of a file durable, after ``place(_:at:)``.
    ///
    /// - Throws: ``CaptureError`` with the folder. The file exists all the same.
    package func makeDurable(_ path: String) throws(CaptureError) { try StillFolder.syncName(of: path) }

    /// Returns `true` if a file exists and has this content.
    ///
    /// - Throws: ``CaptureError`` with the path and the system's error if the file cannot be looked up, opened or read.
    package func holds(_ bytes: [UInt8], at path: String) throws(CaptureError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw .file(errno, path, "cannot be looked up")
        }
        guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes.count else { return false }
        do throws(RegularFile.Failure) {
            return try RegularFile(path).bytes(most: bytes.count + 1) == bytes
        } catch {
            switch error {
            // lstat(2) ends a path at a NUL. Another process may have removed or replaced the file since that call.
            case .containsNUL, .isFolder, .isNotRegular, .notOpened(ENOENT), .notOpened(ENOTDIR): return false
            case .notOpened(let number): throw .file(number, path, "cannot be opened")
            case .notRead(let number): throw .file(number, path, "cannot be read")
            }
        }
    }

    /// Removes a file.
    ///
    /// - Throws: ``CaptureError`` with the path; the file is still there, unless the error is `ENOENT`.
    package func remove(_ path: String) throws(CaptureError) {
        guard unlink(path) == 0 else { throw .file(errno, path, "cannot be removed") }
    }

    /// Removes the temporary files that killed processes left in the folder of temporary files. If the store replaces
    /// files, it also removes those beside `picture`: a new file has a hidden name there before it replaces the old
    /// one. Leftovers in other folders of the template stay.
    package func removeLeftovers(beside picture: String) {
        if let hiddenFolder { TemporaryFile.removeLeftovers(in: hiddenFolder) }
        if overwrites { TemporaryFile.removeLeftovers(in: StillFolder.path(of: picture)) }
    }

    /// Removes the folder of temporary files if it is empty.
    package func removeHiddenFolder() { if let hiddenFolder { rmdir(hiddenFolder) } }

    /// Points the link at the newest picture, if the store has a link. It replaces the link atomically: a reader always
    /// finds one.
    package func pointLatest(at path: String) throws(CaptureError) {
        guard let link = latest else { return }
        try Self.checkLink(link)
        let folder = StillFolder.path(of: link)
        try StillFolder.make(folder)
        let target = StillFolder.path(of: path) == folder ? DeviceFiles.name(of: path) : Self.absolute(path)
        let temporary = TemporaryFile.linkName(for: link)
        var failure: Int32 = 0
        // Another process that updates the same link may remove or rename the temporary one.
        for _ in 0..<Self.linkAttempts {
            unlink(temporary)
            if symlink(target, temporary) == 0, rename(temporary, link) == 0 { return }
            failure = errno
            guard failure == EEXIST || failure == ENOENT else { break }
        }
        unlink(temporary)
        throw .file(failure, link, "cannot be pointed at the picture")
    }

    private static let linkAttempts = 5

    /// The name of standard output in errors.
    package static let standardOutput = "standard output"

    /// Writes all bytes to standard output. Blocks while the reader of a pipe is slow.
    ///
    /// - Throws: ``CaptureError`` with ``standardOutput`` as its subject, after any number of bytes: the reader of the
    ///   pipe is gone, or the disk of a file is full.
    package static func writeToStandardOutput(_ bytes: [UInt8]) throws(CaptureError) {
        try write(bytes, to: STDOUT_FILENO, name: standardOutput)
    }

    // MARK: Steps

    static func write(_ bytes: [UInt8], to file: Int32, name: String) throws(CaptureError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN && isWritable(file) { continue }
            guard count > 0 else { throw .file(errno, name, "cannot be written") }
            written += count
        }
    }

    /// Waits until a non-blocking descriptor accepts bytes, or its reader is gone (`poll(2)`); the next write reports the
    /// latter. Standard output is non-blocking if another process that shares it made it so.
    ///
    /// - Returns: `false` if waiting failed, with the reason in `errno`.
    private static func isWritable(_ file: Int32) -> Bool {
        var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, -1) >= 0 || errno == EINTR
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}
