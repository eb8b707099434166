// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch

/// Watches a folder, or the nearest folder above it that exists (`inotify(7)`).
struct FolderWatch {
    /// The identity of the folder that is watched.
    let place: String
    private let watch: FileWatch?

    /// - Parameters:
    ///   - folders: The folders in the order of preference; the last one decides the folders above.
    ///   - earlier: The watch so far.
    /// - Returns: `nil` if the earlier watch is right.
    init?(
        _ folders: [String], after earlier: FolderWatch?, on queue: DispatchQueue,
        report: @escaping @Sendable () -> Void
    ) {
        var watched = folders.first(where: DeviceFiles.exists) ?? DeviceFiles.folder(of: folders[folders.count - 1])
        while !DeviceFiles.exists(watched), watched != "/" { watched = DeviceFiles.folder(of: watched) }
        // Another folder may be at the path by now.
        place = "\(watched) \(FileStamp(watched)?.inode ?? 0)"
        guard earlier?.place != place else { return nil }
        watch = FileWatch(folder: watched, on: queue, report: report)
    }
}
