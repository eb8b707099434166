// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Glibc
import LedgerKit
import ScheduleKit
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
    /// The ledgers that are read again after their last change.
    private var settling: [String: Alarm] = [:]

    /// The watch of a folder, and the identity of the folder that is watched for it.
    private struct FolderWatch {
        let place: String
        let watch: FileWatch?
    }

    /// The pauses after the last change of a ledger. A slow card can take seconds to store a line.
    private static let settlingTimes: [Duration] = [.milliseconds(250), .seconds(2), .seconds(15), .seconds(60)]

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
            settle(ledger, in: folder, after: Self.settlingTimes[...])
        }
    }

    /// Reads a ledger again, some time after its last change. SQLite writes the lines first, and makes them visible
    /// when they are on the disk, by a change that the kernel does not report.
    private func settle(_ ledger: String, in folder: String, after times: ArraySlice<Duration>) {
        guard let time = times.first else { return }
        settling[ledger, default: Alarm()].set(.now + time) { [self] in
            if !Task.isCancelled { await readAgain(ledger, in: folder, times.dropFirst()) }
        }
    }

    private func readAgain(_ ledger: String, in folder: String, _ times: ArraySlice<Duration>) async {
        _ = await read(ledger, folder)
        settle(ledger, in: folder, after: times)
    }

    /// Watches the ledgers of a folder, or the nearest folder above them that exists.
    private func watch(_ folder: String) {
        let own = [folder + "/" + LedgerPlace.folderName, folder]
        var watched = own.first(where: DeviceFiles.exists) ?? DeviceFiles.folder(of: folder)
        while !DeviceFiles.exists(watched), watched != "/" { watched = DeviceFiles.folder(of: watched) }
        // Another folder may be at the path by now.
        let place = "\(watched) \(FileStamp(watched)?.inode ?? 0)"
        guard watches[folder]?.place != place else { return }
        let watch = FileWatch(folder: watched, on: queue) { [scope] in scope.add { await self.follow(folder) } }
        watches[folder] = FolderWatch(place: place, watch: watch)
    }
}

/// The state of a ledger's files, which changes when it gets lines, and not when it is read.
private struct LedgerStamp: Hashable {
    private let ledger: FileStamp?
    /// The log that a writer keeps beside the ledger; an empty one is that of a reader.
    private let log: FileStamp?

    init(_ path: String) {
        ledger = FileStamp(path)
        log = FileStamp(path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    }
}

/// The inode, size and time of change of a file.
private struct FileStamp: Hashable {
    let size: Int
    let inode: UInt
    private let seconds: Int, nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (size, inode) = (Int(status.st_size), UInt(status.st_ino))
        (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
    }
}
