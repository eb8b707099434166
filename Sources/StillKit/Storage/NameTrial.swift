// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Finds at the start the faults that would make every picture fail: a name that the file system refuses or changes, a
/// read-only folder, a full disk.
///
/// The trial creates a file with the name of a picture in a hidden folder beside the pictures, and removes both. Other
/// programs that wait for pictures do not watch the hidden folder.
package struct NameTrial: Sendable {
    /// How many bytes the trial writes: a full disk refuses them.
    private static let byteCount = 4096

    private let create: @Sendable (String) -> Int32
    private let names: @Sendable (String) -> [String]

    /// - Parameters:
    ///   - create: Creates a file and writes some bytes; returns 0 or the error number. Tests replace it.
    ///   - names: Returns the names in a folder. Tests replace it.
    package init(
        create: @escaping @Sendable (String) -> Int32 = NameTrial.createFile,
        names: @escaping @Sendable (String) -> [String] = { DeviceFiles.names(in: $0) }
    ) {
        (self.create, self.names) = (create, names)
    }

    /// Tries the name of a picture, whose folder exists. Blocks.
    ///
    /// - Parameter acceptsFullDisk: `true` if a full disk is no reason to fail, because pictures can be removed.
    /// - Throws: ``CaptureError`` with the path as its subject, or with the folder if nothing can be created there.
    package func run(_ path: String, acceptsFullDisk: Bool) throws(CaptureError) {
        let (parent, name) = (StillFolder.path(of: path), DeviceFiles.name(of: path))
        let folder = TemporaryFile.hiddenName(in: parent)
        guard mkdir(folder, 0o700) == 0 else {
            return try check(errno, of: parent, in: parent, acceptsFullDisk)
        }
        let file = folder + "/" + name
        defer { Self.removeFolder(folder) }
        let failure = create(file)
        guard failure == 0 else { return try check(failure, of: path, in: parent, acceptsFullDisk) }
        // Another process may have removed the folder as a leftover.
        guard let stored = names(folder).first, !stored.utf8.elementsEqual(name.utf8) else { return }
        throw .refusedName(EINVAL, path, storedAs: stored)
    }

    /// Throws the errors that every picture would have, too. A folder may accept files and no folders, and another process
    /// may remove the folder of the trial.
    private func check(
        _ number: Int32, of path: String, in folder: String, _ acceptsFullDisk: Bool
    ) throws(CaptureError) {
        switch number {
        case EINVAL, EILSEQ, ENAMETOOLONG, EROFS: throw .file(number, path, "cannot be created")
        case ENOSPC, EDQUOT: if !acceptsFullDisk { throw .file(number, folder, "cannot be written") }
        default: break
        }
    }

    /// Removes the folder of a trial. A trial that another process has begun there gives no result then.
    static func removeFolder(_ folder: String) {
        for name in DeviceFiles.names(in: folder) { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    /// Creates a file and writes some bytes; returns 0 or the error number.
    package static func createFile(_ path: String) -> Int32 {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: byteCount)
        return write(file, bytes, bytes.count) < 0 ? errno : 0
    }
}
