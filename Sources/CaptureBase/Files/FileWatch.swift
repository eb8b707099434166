// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc

/// Calls a handler when a file, or a link to it, is changed or replaced, without polling (`inotify(7)`). It also calls
/// the handler when another file in the same folder is created, replaced or deleted.
///
/// All watches of a process share one instance of inotify, of which a user has 128. If the kernel refuses a watch, the
/// handler is called every 10 seconds until the kernel accepts it; see ``reportRefusals(to:)``.
package final class FileWatch: Sendable {
    private let inotify: Inotify
    private let reader: Int

    /// Starts watching; `nil` if the folder of the file does not exist or cannot be read.
    ///
    /// - Parameters:
    ///   - queue: The serial queue on which `report` is called.
    ///   - report: Called after one or several changes.
    package convenience init?(_ path: String, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) {
        self.init(.shared, WatchedPlace(file: path), on: queue, report: report)
    }

    /// Starts watching all files of a folder; `nil` if it does not exist or cannot be read.
    package convenience init?(folder: String, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) {
        self.init(.shared, WatchedPlace(folder: folder), on: queue, report: report)
    }

    init?(_ inotify: Inotify, _ place: WatchedPlace, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) {
        guard let reader = inotify.add(place, on: queue, report: report) else { return nil }
        (self.inotify, self.reader) = (inotify, reader)
    }

    deinit { end() }

    /// Stops watching. A call of the handler that has begun is not awaited.
    package func end() { inotify.remove(reader) }

    /// Calls a closure, on any thread, each time the kernel begins to refuse watches of this process. It replaces the
    /// earlier closure.
    package static func reportRefusals(to report: @escaping @Sendable (CaptureError) -> Void) {
        Inotify.shared.reportRefusals(to: report)
    }
}

/// The place of a ``FileWatch``.
struct WatchedPlace: Sendable {
    let folder: String
    /// The events of the folder that matter.
    let folderMask: Int32
    /// The file in it that is watched, too, or the target of the link there.
    let file: String?

    static let fileMask = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF
    private static let replacements = IN_CREATE | IN_MOVED_TO | IN_DELETE

    init(file: String) { (folder, folderMask, self.file) = (DeviceFiles.folder(of: file), Self.replacements, file) }

    init(folder: String) {
        self.folder = folder
        folderMask = Self.replacements | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF
        file = nil
    }
}
