// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import Glibc
import StillKit

/// The marker of a folder that a library indexes: the file `.gst-capture/root` with an identifier.
///
/// A disk that is not mounted leaves its folder empty, and another disk has another marker: in both cases the pictures
/// are away, and not removed.
enum RootMarker {
    private static let name = ".gst-capture/root"
    private static let mostBytes = 64

    /// Returns the identifier of a folder; `nil` if it has none. Blocks.
    static func read(_ folder: String) -> String? {
        guard let bytes = try? RegularFile.read(folder + "/" + name, most: mostBytes) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return UUID(uuidString: text)?.uuidString.lowercased()
    }

    /// Returns the identifier of a folder, and gives it one if it has none. A folder that cannot be written, such as one
    /// on a read-only disk, has the identity of its file system instead. Blocks.
    ///
    /// - Throws: `CaptureError` if the folder does not exist.
    static func make(_ folder: String) throws(CaptureError) -> String {
        if let found = read(folder) { return found }
        guard let system = fileSystem(folder) else {
            throw CaptureError(.noInput, "there is no such folder", subject: folder, advice: "mount or create it")
        }
        let text = UUID().uuidString.lowercased()
        let path = folder + "/" + name
        do throws(CaptureError) {
            try StillFolder.make(StillFolder.path(of: path))
            try StillStore(overwrites: false, latest: nil).write(Array((text + "\n").utf8), to: path)
            return text
        } catch {
            // Another process may have written it just now.
            return read(folder) ?? system
        }
    }

    /// Returns the current identifier of a folder that had `marker`; `nil` if the folder is away.
    static func current(_ folder: String, like marker: String) -> String? {
        UUID(uuidString: marker) == nil ? fileSystem(folder) : read(folder)
    }

    private static func fileSystem(_ folder: String) -> String? {
        var (status, system) = (stat(), statvfs())
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, statvfs(folder, &system) == 0 else {
            return nil
        }
        return "file-system \(system.f_fsid) \(status.st_ino)"
    }
}
#endif
