// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Writes many small files that become durable together: one `syncfs(2)` for a disk in place of one `fsync(2)` for each
/// file.
///
/// No file has its name before ``finish()``, and each is complete when it gets it. The batch keeps a descriptor for each
/// file. Every call blocks.
package final class StillBatch {
    /// A file of a batch.
    package final class File {
        /// The error if the file could not be given its name.
        package fileprivate(set) var failure: CaptureError?
        fileprivate let path: String
        private let bytes: [UInt8]
        private let overwrites: Bool
        private var file: TemporaryFile

        fileprivate init(_ bytes: [UInt8], at path: String, overwrites: Bool) throws(CaptureError) {
            file = try TemporaryFile.made(for: path, isPrivate: false)
            (self.path, self.bytes, self.overwrites) = (path, bytes, overwrites)
            try file.write(bytes[...], at: 0, for: path)
        }

        /// The disk of the file; `nil` if the file has to be synced alone: the server of a network file system may not know
        /// of `syncfs(2)`.
        fileprivate var disk: UInt64? { NetworkFileSystem.holds(path) ? nil : file.device }

        fileprivate func sync() throws(CaptureError) { try file.sync(for: path) }

        fileprivate func syncDisk() throws(CaptureError) { try file.syncFileSystem(for: path) }

        /// Gives the file its name.
        fileprivate func place() {
            do throws(CaptureError) {
                do throws(CaptureError) {
                    try file.move(to: path, replacing: overwrites)
                } catch {
                    guard !error.isOfStorage, error.systemError != EEXIST else { throw error }
                    // The file system may support another kind of temporary file.
                    try StillStore(overwrites: overwrites, latest: nil).place(bytes, at: path)
                }
            } catch {
                failure = error
            }
        }
    }

    private var files: [File] = []
    /// Up to this number of files or folders of a disk, each is synced alone: others may be writing much to the disk.
    private static let mostAlone = 4

    package init() {}

    /// Writes a file without its name.
    ///
    /// - Parameter overwrites: `true` if it replaces a file.
    /// - Throws: ``CaptureError`` with the path. The batch does not have the file then.
    package func add(_ bytes: [UInt8], at path: String, overwrites: Bool) throws(CaptureError) -> File {
        let file = try File(bytes, at: path, overwrites: overwrites)
        files.append(file)
        return file
    }

    /// Makes all files durable, and then gives them their names, durably. A file that cannot get its name has a failure.
    ///
    /// - Throws: ``CaptureError`` if the disk cannot make the files, or their names, durable.
    package func finish() throws(CaptureError) {
        try sync()
        for file in files { file.place() }
        try syncNames()
        files = []
    }

    private func sync() throws(CaptureError) {
        for (disk, group) in Dictionary(grouping: files, by: \.disk) {
            if disk != nil, group.count > Self.mostAlone {
                try group[0].syncDisk()
            } else {
                for file in group { try file.sync() }
            }
        }
    }

    private func syncNames() throws(CaptureError) {
        for (disk, group) in Dictionary(grouping: files, by: \.disk) {
            let folders = Dictionary(grouping: group) { StillFolder.path(of: $0.path) }
            if disk != nil, folders.count > Self.mostAlone {
                try group[0].syncDisk()
            } else {
                for files in folders.values { try StillFolder.syncName(of: files[0].path) }
            }
        }
    }
}
