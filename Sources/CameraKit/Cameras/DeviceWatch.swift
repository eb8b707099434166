// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Glibc

/// Emits an event when video devices appear, change their rights, get udev's links or properties, or are closed by a
/// program (`inotify(7)`).
///
/// GStreamer's device monitor is not used, because it needs udev, and opens each node that appears to query all
/// capabilities of its driver. With some drivers that takes seconds, during which it holds the node that a recovery
/// needs. A watch opens no node, and uses no processor time between events.
package final class DeviceWatch: Sendable {
    /// An event of the watch.
    package enum Event: Sendable, Hashable {
        /// A node, a link to it or udev's record of it was made, or the node's rights changed.
        case appeared
        /// A program closed a node; it may have been this process.
        case released
    }

    /// The events since the creation; the stream ends with ``end()``.
    package let events: AsyncStream<Event>
    /// Dispatch's own locks guard it.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Starts watching; `nil` if the folder of nodes cannot be watched.
    package convenience init?() { self.init(DeviceTree()) }

    init?(_ tree: DeviceTree) {
        guard let folders = WatchedFolders(tree) else { return nil }
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(16))
        self.events = events
        source = DispatchSource.makeReadSource(
            fileDescriptor: folders.descriptor, queue: DispatchQueue(label: "gst-capture.devices"))
        source.setEventHandler { for event in folders.read() { continuation.yield(event) } }
        source.setCancelHandler {
            folders.close()
            continuation.finish()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// Stops watching.
    package func end() { source.cancel() }
}

/// The folders of a ``DeviceWatch``: those of nodes, of udev's links, and of its records.
///
/// udev makes the folders of links with the first link and removes them with the last one, so they are watched again
/// when their parent folder has them again. `@unchecked Sendable` because only one serial queue uses it after `init`.
private final class WatchedFolders: @unchecked Sendable {
    private struct Folder {
        let path: String
        /// The prefix of the names that matter; empty for all.
        let prefix: String
        let mask: Int32
        /// Folders in it that are watched as well.
        var children: [Folder] = []
    }

    let descriptor: Int32
    private var folders: [Int32: Folder] = [:]

    init?(_ tree: DeviceTree) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let made = IN_CREATE | IN_MOVED_TO
        let links = ["by-id", "by-path"].map { Folder(path: "\(tree.dev)/v4l/\($0)", prefix: "", mask: made) }
        let nodes = Folder(
            path: tree.dev, prefix: "video", mask: made | IN_ATTRIB | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE,
            children: [Folder(path: "\(tree.dev)/v4l", prefix: "", mask: IN_CREATE, children: links)])
        guard add(nodes) else {
            Glibc.close(descriptor)
            return nil
        }
        // Major 81 is Video4Linux. udev writes a new record and moves it into its place.
        add(Folder(path: tree.udev, prefix: "c81:", mask: IN_MOVED_TO | IN_CLOSE_WRITE))
    }

    func close() { Glibc.close(descriptor) }

    /// Starts watching a folder and its existing children; `false` if the folder does not exist.
    @discardableResult private func add(_ folder: Folder) -> Bool {
        let watch = inotify_add_watch(descriptor, folder.path, UInt32(folder.mask))
        guard watch >= 0 else { return false }
        folders[watch] = folder
        for child in folder.children { add(child) }
        return true
    }

    /// Returns the events since the last call, each kind once.
    func read() -> Set<DeviceWatch.Event> {
        Set(FolderEvent.read(from: descriptor).compactMap(handle))
    }

    private func handle(_ event: FolderEvent) -> DeviceWatch.Event? {
        // An overflow may have lost events of any kind.
        if event.has(IN_Q_OVERFLOW) { return .appeared }
        guard let folder = folders[event.watch] else { return nil }
        if event.has(IN_IGNORED) {
            folders[event.watch] = nil
            return nil
        }
        if let child = folder.children.first(where: { DeviceFiles.name(of: $0.path) == event.name }) {
            // Links may have been made before the folder was watched.
            return event.has(IN_CREATE) && add(child) ? .appeared : nil
        }
        guard folder.children.isEmpty || !folder.prefix.isEmpty, event.name.hasPrefix(folder.prefix) else { return nil }
        // Programs close nodes; a record that is closed was written.
        let isRelease = event.has(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) && folder.prefix == "video"
        return isRelease ? .released : .appeared
    }
}
