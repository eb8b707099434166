// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import LedgerKit
import SystemBase

/// Reports the ledgers, or the lists of clips, of folders when they change, without polling (`inotify(7)`). The files and
/// folders may come later.
actor AccountFollower {
    /// Finds the files of a folder.
    typealias Find = @Sendable (_ folder: String) -> [String]
    /// Reads a file of a folder; `false` if that failed.
    typealias Read = @Sendable (_ file: String, _ folder: String) async -> Bool

    private let folders: [String]
    private let find: Find
    private let read: Read
    private let scope = TaskScope()
    private let queue = DispatchQueue(label: "gst-capture.accounts")
    private var watches: [String: FolderWatch] = [:]
    /// The state of each file when it was read last.
    private var stamps: [String: DatabaseStamp] = [:]
    private var settling = Settling()

    init(_ folders: [String], find: @escaping Find, read: @escaping Read) {
        (self.folders, self.find, self.read) = (Set(folders).sorted(), find, read)
    }

    /// Reports files until the task is canceled: first all, then those that change.
    ///
    /// - Parameter caughtUp: Called after the first ones.
    func run(caughtUp: @Sendable () async -> Void) async {
        for folder in folders { await follow(folder) }
        await caughtUp()
        await scope.run()
    }

    /// Reads the files of a folder that have changed.
    private func follow(_ folder: String) async {
        watch(folder)
        for file in find(folder) {
            let stamp = DatabaseStamp(file)
            guard stamps[file] != stamp else { continue }
            stamps[file] = stamp
            if await !read(file, folder) { stamps[file] = nil }
            settling.begin(file) { [read] in _ = await read(file, folder) }
        }
    }

    private func watch(_ folder: String) {
        let places = [folder + "/" + LedgerPlace.folderName, folder]
        let watch = FolderWatch(places, after: watches[folder], on: queue) { [scope] in
            scope.add { await self.follow(folder) }
        }
        if let watch { watches[folder] = watch }
    }
}
