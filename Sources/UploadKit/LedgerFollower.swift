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
    private var stamps: [String: LedgerStamp] = [:]
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
            let stamp = LedgerStamp(ledger)
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

/// The state of a ledger's files, or of those of another SQLite file, which changes when it gets lines, and not when it
/// is read.
struct LedgerStamp: Hashable {
    private let ledger: FileStamp?
    /// The log that a writer keeps beside the ledger; an empty one is that of a reader.
    private let log: FileStamp?

    init(_ path: String) {
        ledger = FileStamp(path)
        log = FileStamp(path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    }
}
