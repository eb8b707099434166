// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

/// The regular files and the folders in a folder, without hidden ones and links.
struct FolderListing {
    /// A file that is not a sidecar.
    struct File {
        let name: String
        /// When it was last changed, in nanoseconds since 1970.
        let stamp: Int64
        let byteCount: Int
        /// When its sidecar was last changed; `nil` if it has none.
        var sidecar: Int64?
    }

    private(set) var files: [File] = []
    /// The absolute paths of the folders.
    private(set) var folders: [String] = []

    /// Reads a folder. Blocks.
    ///
    /// - Parameter report: Receives an error for each picture that cannot be reached, such as one whose name is not UTF-8.
    /// - Throws: `CaptureError` if the folder cannot be read to its end.
    init(_ folder: String, report: (CaptureError) -> Void) throws(CaptureError) {
        // Names by their bytes: two can be equal as texts, in two forms of Unicode.
        var sidecars: [[UInt8]: Int64] = [:]
        for name in try DeviceFiles.readableNames(in: folder) where !name.hasPrefix(".") {
            var status = stat()
            let path = ItemPlace(folder: folder, name: name).path
            guard lstat(path, &status) == 0 else {
                // A name of other bytes than UTF-8 is not found by its text.
                if PictureScan.isPicture(name) { report(.file(errno, path, "cannot be read")) }
                continue
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append(path)
            case S_IFREG where name.hasSuffix(".xmp"): sidecars[Array(name.utf8)] = status.stamp
            case S_IFREG: files.append(File(name: name, stamp: status.stamp, byteCount: Int(status.st_size)))
            default: break
            }
        }
        guard !sidecars.isEmpty else { return }
        for index in files.indices {
            files[index].sidecar = sidecars[Array(XMPSidecar.path(of: files[index].name).utf8)]
        }
    }
}
#endif
