// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import LedgerKit
import SystemBase

/// Reports the ledgers of folders when they get lines, without polling (`inotify(7)`). Ledgers and folders may come
/// later.
actor LedgerFollower {
    /// Reads a ledger of a folder; `false` if that failed.
    typealias Read = @Sendable (_ ledger: String, _ folder: String) async -> Bool

    private let folders: [String]
    private let read: Read
    private let scope = TaskScope()
    private let queue = DispatchQueue(label: "gst-capture.ledgers")
    private var watches: [String: FolderWatch] = [:]
    /// The state of each ledger when it was read last.
    private var stamps: [String: DatabaseStamp] = [:]
    private var settling = Settling()

    init(_ folders: [String], read: @escaping Read) { (self.folders, self.read) = (Set(folders).sorted(), read) }

    /// Reports ledgers until the task is canceled: first all, then those that change.
    ///
    /// - Parameter caughtUp: Called after the first ones.
    func run(caughtUp: @Sendable () async -> Void) async {
        for folder in folders { await follow(folder) }
        await caughtUp()
        await scope.run()
    }

    /// Reads the ledgers of a folder that have changed.
    private func follow(_ folder: String) async {
        watch(folder)
        for ledger in (try? LedgerFinder.ledgers(at: folder)) ?? [] {
            let stamp = DatabaseStamp(ledger)
            guard stamps[ledger] != stamp else { continue }
            stamps[ledger] = stamp
            if await !read(ledger, folder) { stamps[ledger] = nil }
            settling.begin(ledger) { [read] in _ = await read(ledger, folder) }
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
