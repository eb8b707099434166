// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// Brings an index up to date with a folder: its ledgers, its lists of clips, its sessions, and its other files with their
/// sidecars.
///
/// Accounts come first, because they have sizes, times and hashes: their pictures are not opened.
public struct LibraryScan: Sendable {
    /// The folder with its state.
    public var root: LibraryRoot
    /// The changes of the index.
    public var changes = LibraryChanges()
    /// The number of pictures that are gone, and that a person has to accept; 0 otherwise.
    public var vanished = 0

    /// Scans a folder. Blocks.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - accepts: `true` if a person knows that many pictures are gone.
    ///   - report: Receives the error of each account and file that cannot be read.
    ///   - progress: Receives the number of pictures so far.
    /// - Throws: `CaptureError` if the folder does not exist, the index cannot be changed, or the task is canceled. What
    ///   was read is in the index.
    public init(
        _ index: LibraryIndex, folder: String, accepts: Bool = false,
        report: @escaping (CaptureError) -> Void = { _ in }, progress: @escaping (Int) -> Void = { _ in }
    ) throws(CaptureError) {
        try self.init(index, folder: folder, clips: [:], accepts: accepts, report: report, progress: progress)
    }

    /// Scans a folder, as ``init(_:folder:accepts:report:progress:)`` does.
    ///
    /// - Parameter clips: The lists of clips of which a configuration names the camera, by their paths.
    package init(
        _ index: LibraryIndex, folder: String, clips: [String: ClipSource], accepts: Bool = false,
        report: @escaping (CaptureError) -> Void = { _ in }, progress: @escaping (Int) -> Void = { _ in }
    ) throws(CaptureError) {
        root = try FolderScan.begin(index, folder)
        guard root.state != .offline else { return }
        let accounts = try AccountSearch(FolderRange(folder, among: try index.roots()))
        var (changes, count) = (LibraryChanges(), 0)
        for ledger in accounts.ledgers {
            do throws(CaptureError) {
                let before = count
                changes.add(try LedgerSource.catchUp(unnamed: ledger, index) { done, _ in progress(before + done) })
                count += changes.putCount
            } catch {
                if Task.isCancelled { throw error }
                report(error)
            }
        }
        for list in accounts.clipLists {
            do throws(CaptureError) {
                changes.add(try (clips[list] ?? ClipSource(unnamed: list)).catchUp(index))
            } catch {
                if Task.isCancelled { throw error }
                report(error)
            }
        }
        for folder in Set(accounts.runs.map { DeviceFiles.folder(of: $0) }).sorted() {
            changes.add(try SessionSource(folder: folder).catchUp(index, report: report))
        }
        let scan = FolderScan(index, folder: folder, report: report) { progress($0.pictures) }
        let result = try scan.run(accepts: accepts)
        changes.add(result.changes)
        (root, self.changes, vanished) = (result.root, changes, result.vanished)
    }
}

extension LibraryIndex {
    /// Scans the folders that are not complete in the index, such as after a rebuild that was killed. A change must reach
    /// all files of a picture: what it does not know comes back as it was. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each account and file that cannot be read.
    ///   - progress: Receives the number of pictures of the folder so far.
    /// - Throws: `CaptureError` if the index cannot be changed, or the task is canceled.
    public func completeFolders(
        report: @escaping (CaptureError) -> Void = { _ in }, progress: @escaping (Int) -> Void = { _ in }
    ) throws(CaptureError) {
        for root in try roots() where root.state == .stale {
            _ = try LibraryScan(self, folder: root.path, report: report, progress: progress)
        }
    }
}
#endif
