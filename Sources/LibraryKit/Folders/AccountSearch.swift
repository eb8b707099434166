// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import LedgerKit
import SessionModel

/// Finds the accounts of pictures below a folder: ledgers of series, lists of clips, and records of sessions' runs.
struct AccountSearch {
    /// The paths of the ledgers, sorted.
    private(set) var ledgers: [String] = []
    /// The paths of the lists of clips, sorted.
    private(set) var clipLists: [String] = []
    /// The folders of runs, sorted.
    private(set) var runs: [String] = []

    /// Searches a range. Links are not followed. Blocks.
    ///
    /// - Throws: `CaptureError` `.temporary` if the task is canceled.
    init(_ range: FolderRange) throws(CaptureError) {
        var waiting = [range.path]
        while let next = waiting.popLast() {
            if Task.isCancelled { throw CaptureError(.temporary, "the scan was canceled", subject: range.path) }
            let start = next == "/" ? "/" : next + "/"
            DeviceFiles.eachName(in: next) { name in
                let path = start + name
                if name == LedgerPlace.folderName {
                    let names = DeviceFiles.names(in: path)
                    ledgers += names.filter { $0.hasSuffix(".ledger") }.map { path + "/" + $0 }
                    clipLists += names.filter { $0.hasSuffix(".clips") }.map { path + "/" + $0 }
                } else if name == SessionRecord.fileName {
                    runs.append(next)
                } else if !name.hasPrefix("."), Self.isFolder(path, name), range.contains(path) {
                    waiting.append(path)
                }
            }
        }
        ledgers.sort()
        clipLists.sort()
        runs.sort()
    }

    private static func isFolder(_ path: String, _ name: String) -> Bool {
        // A folder may be named like a picture, but a million pictures need no call each.
        guard !PictureScan.isPicture(name) else { return false }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension LedgerSource {
    /// Adds the new lines and removals of a ledger that a scan has found. Unless a configuration has named its series, the
    /// name is that of the folder of its pictures, and of its first run, so that two folders of the same name have
    /// different IDs. Blocks.
    ///
    /// - Throws: The errors of ``catchUp(_:progress:)``.
    static func catchUp(
        unnamed ledger: String, _ index: LibraryIndex, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> LibraryChanges {
        guard let (reader, identity) = try open(ledger) else { return LibraryChanges() }
        let series = AccountName.name(
            folder: DeviceFiles.name(of: reader.folder), identity: SHA256.digits(of: Array(identity.utf8)))
        return try LedgerSource(unnamed: ledger, series: series).catchUp(reader, identity, index, progress: progress)
    }
}
#endif
