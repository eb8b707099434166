// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Glibc

/// Calls a handler when a file, or a link to it, is changed or replaced, without polling (`inotify(7)`). It also calls
/// the handler when another file in the same folder is created, replaced or deleted.
package final class FileWatch: Sendable {
    // Dispatch sources may be used by any thread.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    private static let changes = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF
    private static let replacements = IN_CREATE | IN_MOVED_TO | IN_DELETE

    /// Starts watching; `nil` if the folder of the file does not exist, or the kernel refuses.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `report` is called.
    ///   - report: Called after one or several changes.
    package init?(_ path: String, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, DeviceFiles.folder(of: path), UInt32(Self.replacements)) >= 0 else {
            close(descriptor)
            return nil
        }
        Self.watchContent(descriptor, path)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            Self.discardEvents(descriptor)
            // The path may lead to another file now.
            Self.watchContent(descriptor, path)
            report()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// Starts watching all files of a folder; `nil` if it does not exist, or the kernel refuses.
    package init?(folder: String, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let mask = UInt32(Self.replacements | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        guard inotify_add_watch(descriptor, folder, mask) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            Self.discardEvents(descriptor)
            report()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Stops watching.
    package func end() { source.cancel() }

    /// Watches the target of a path, because `inotify_add_watch(2)` follows links.
    private static func watchContent(_ descriptor: Int32, _ path: String) {
        _ = inotify_add_watch(descriptor, path, UInt32(changes))
    }

    private static func discardEvents(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
