// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import SystemBase

/// Reports folders of sessions when sessions may have been accepted in them, without polling (`inotify(7)`). The folders
/// may come later.
actor SessionFollower {
    /// Reads the sessions of a folder, or one of them, and returns the names of those that may be accepted later.
    typealias Read = @Sendable (_ folder: String, _ run: String?) async -> Set<String>

    /// Only the newest sessions are watched: those that were left can be thousands. Others are read when the folder of
    /// sessions changes.
    private static let mostWatched = 16

    private let folders: [String]
    private let read: Read
    private let scope = TaskScope()
    private let queue = DispatchQueue(label: "gst-capture.sessions")
    private var watches: [String: FolderWatch] = [:]
    /// The watches of sessions that run, by their folders.
    private var runs: [String: FileWatch] = [:]
    private var settling = Settling()

    init(_ folders: [String], read: @escaping Read) { (self.folders, self.read) = (Set(folders).sorted(), read) }

    /// Reports folders until the task is canceled: first all, then those that change.
    ///
    /// - Parameter caughtUp: Called after the first ones.
    func run(caughtUp: @Sendable () async -> Void) async {
        for folder in folders { await follow(folder) }
        await caughtUp()
        await scope.run()
    }

    private func follow(_ folder: String) async {
        let watch = FolderWatch([folder], after: watches[folder], on: queue) { [scope] in
            scope.add { await self.follow(folder) }
        }
        if let watch { watches[folder] = watch }
        await readAll(folder)
        // The record of a new session comes after its folder.
        settling.begin(folder) { await self.readAll(folder) }
    }

    private func readAll(_ folder: String) async {
        // Names end with the time of the beginning.
        let pending = await read(folder, nil).sorted { $0 > $1 }.prefix(Self.mostWatched)
        for path in runs.keys where DeviceFiles.folder(of: path) == folder {
            if !pending.contains(DeviceFiles.name(of: path)) { forget(path) }
        }
        for name in pending where runs[folder + "/" + name] == nil {
            runs[folder + "/" + name] = FileWatch(folder: folder + "/" + name, on: queue) { [scope] in
                scope.add { await self.changed(folder, name) }
            }
        }
    }

    private func changed(_ folder: String, _ name: String) async {
        guard await look(folder, name) else { return }
        settling.begin(folder + "/" + name) { _ = await self.look(folder, name) }
    }

    /// - Returns: `true` if the session may still be accepted.
    private func look(_ folder: String, _ name: String) async -> Bool {
        guard runs[folder + "/" + name] != nil else { return false }
        if await read(folder, name).contains(name) { return true }
        forget(folder + "/" + name)
        return false
    }

    private func forget(_ path: String) {
        runs[path] = nil
        settling.end(path)
    }
}
