// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import LedgerKit
import StillKit

/// Compares the files below a folder with an index: pictures without an account, pictures that are gone or came back, and
/// sidecars.
///
/// Files that the index knows unchanged are not opened. Every call blocks.
package struct FolderScan {
    /// How far a scan is.
    public struct Progress: Sendable, Hashable {
        /// The number of pictures that were found.
        public var pictures = 0
        /// The number of pictures that were read.
        public var read = 0
    }

    /// The result of a scan.
    package struct Result: Sendable {
        /// The folder with its state.
        package var root: LibraryRoot
        /// The changes of the index.
        package var changes = LibraryChanges()
        /// The number of pictures that are gone, and that a person has to accept; 0 otherwise.
        package var vanished = 0
    }

    private let index: LibraryIndex
    private let folder: String
    private let report: (CaptureError) -> Void
    private let progress: (Progress) -> Void

    private var state = Progress()
    private var changes = LibraryChanges()
    private var fresh: [Fresh] = []
    private var gone: [ItemPlace] = []
    private var seen: [(ItemPlace, Int64)] = []
    private var noted: [ItemPlace] = []
    private var revived: [ItemPlace] = []
    /// The folders that could not be read: nothing below them is gone.
    private var unreadable: [String] = []
    private var goneCount = 0
    private var knownCount = 0

    /// A file that the index does not know, or knows otherwise.
    private struct Fresh {
        let place: ItemPlace
        let stamp: Int64
    }

    /// More pictures than this, and more than this part of a folder, do not vanish at once without a reason.
    private static let mostVanished = 50
    private static let mostVanishedPart = 0.1
    /// A transaction has so many pictures.
    private static let batch = 500
    /// How long a missing picture stays in the index, in seconds.
    private static let patience: Int64 = 30 * 86400

    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - report: Receives the error of each file that cannot be read.
    package init(
        _ index: LibraryIndex, folder: String, report: @escaping (CaptureError) -> Void = { _ in },
        progress: @escaping (Progress) -> Void = { _ in }
    ) {
        (self.index, self.folder, self.report, self.progress) = (index, folder, report, progress)
    }

    /// Scans the folder.
    ///
    /// - Parameter accepts: `true` if a person knows that many pictures are gone.
    /// - Throws: `CaptureError` `.noInput` if the folder was never scanned, and does not exist; the errors of the index.
    package consuming func run(accepts: Bool = false) throws(CaptureError) -> Result {
        var root = try Self.begin(index, folder)
        guard root.state != .offline else { return Result(root: root) }
        try walk()
        try store()
        // The disk may have been pulled meanwhile.
        guard RootMarker.current(folder, like: root.marker) == root.marker else {
            root.state = .offline
            let away = root
            try index.write { try $0.setRoot(away) }
            return Result(root: root, changes: changes)
        }
        var vanished = 0
        if !accepts, goneCount > Self.mostVanished, Double(goneCount) > Double(knownCount) * Self.mostVanishedPart {
            (root.state, vanished) = (.shrunk, goneCount)
        } else {
            try missGone()
            root.state = .online
        }
        try index.write { try $0.setRoot(root) }
        return Result(root: root, changes: changes, vanished: vanished)
    }

    /// Begins a scan. A new folder belongs to the library from now on, also if the scan is interrupted.
    ///
    /// - Returns: The folder, offline if its disk is away: no file below it may be read then.
    /// - Throws: `CaptureError` `.noInput` if the folder is new, and does not exist.
    static func begin(_ index: LibraryIndex, _ folder: String) throws(CaptureError) -> LibraryRoot {
        let known = try index.roots().first { $0.path == folder }
        var root: LibraryRoot
        if let known {
            root = known
        } else {
            root = LibraryRoot(path: folder, marker: try RootMarker.make(folder), state: .stale)
        }
        if RootMarker.current(folder, like: root.marker) != root.marker {
            root.state = .offline
        } else if root.state == .offline {
            root.state = .stale
        }
        if root != known {
            let changed = root
            try index.write { try $0.setRoot(changed) }
        }
        return root
    }

    // MARK: - Walking

    /// Looks at each folder. Links are not followed, so no folder is seen twice.
    private mutating func walk() throws(CaptureError) {
        var (waiting, unseen) = ([folder], Set(try index.folders(from: folder)))
        while let next = waiting.popLast() {
            if Task.isCancelled { throw CaptureError(.temporary, "the scan was canceled", subject: folder) }
            unseen.remove(next)
            waiting += try look(into: next)
        }
        for folder in unseen where !unreadable.contains(where: { folder.hasPrefix($0 + "/") }) {
            try look(atMissing: folder)
        }
    }

    /// Compares the files of a folder, and returns the folders in it.
    private mutating func look(into folder: String) throws(CaptureError) -> [String] {
        var (known, folders, sidecars) = (try index.files(in: folder), [String](), [String: Int64]())
        let names: [String]
        do throws(CaptureError) {
            names = try DeviceFiles.readableNames(in: folder)
        } catch {
            report(error)
            unreadable.append(folder)
            return []
        }
        knownCount += known.values.count { !$0.isMissing }
        var files: [(name: String, stamp: Int64, bytes: Int)] = []
        for name in names where !name.hasPrefix(".") {
            var status = stat()
            let path = folder + "/" + name
            guard lstat(path, &status) == 0 else {
                // A name of other bytes than UTF-8 is not found by its text.
                if PictureScan.isPicture(name) {
                    report(.file(errno, path, "cannot be read"))
                }
                continue
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append(path)
            case S_IFREG:
                if name.hasSuffix(".xmp") {
                    sidecars[name] = status.stamp
                } else if known[name] != nil || PictureScan.isPicture(name) {
                    files.append((name, status.stamp, Int(status.st_size)))
                }
            default: break
            }
        }
        for file in files {
            state.pictures += 1
            let place = ItemPlace(folder: folder, name: file.name)
            let old = known.removeValue(forKey: file.name)
            if old?.role ?? .shown == .shown, old?.sidecar ?? 0 != sidecars[XMPSidecar.path(of: file.name)] ?? 0 {
                noted.append(place)
            }
            if let old, old.isMissing, old.role != .shown || old.byteCount == file.bytes { revived.append(place) }
            if let old, old.stamp == file.stamp, old.role != .shown || old.byteCount == file.bytes { continue }
            if let old, old.stamp == 0, old.role != .shown || old.byteCount == file.bytes {
                // The account has its facts; only its time of change is new.
                seen.append((place, file.stamp))
            } else {
                fresh.append(Fresh(place: place, stamp: file.stamp))
                // The item that the file becomes has no notes yet.
                if sidecars[XMPSidecar.path(of: file.name)] != nil, noted.last != place { noted.append(place) }
            }
            if fresh.count + seen.count + noted.count >= Self.batch { try store() }
        }
        add(gone: known, in: folder)
        return folders
    }

    private mutating func look(atMissing folder: String) throws(CaptureError) {
        let known = try index.files(in: folder)
        knownCount += known.values.count { !$0.isMissing }
        add(gone: known, in: folder)
    }

    private mutating func add(gone files: [String: KnownFile], in folder: String) {
        for (name, file) in files where file.role != .album && !file.isMissing {
            gone.append(ItemPlace(folder: folder, name: name, role: file.role))
            goneCount += 1
        }
    }

    // MARK: - Changing the index

    /// Reads the new files, and stores them.
    private mutating func store() throws(CaptureError) {
        var pictures: [(LibraryItem, Fresh)] = []
        for file in fresh {
            do throws(CaptureError) {
                let scan = try PictureScan(file.place.path)
                pictures.append((LibraryItem(id: ItemID(index.board, .file(scan.mark)), facts: scan.facts), file))
            } catch {
                report(error)
            }
        }
        let (known, back) = (seen, revived)
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for (place, stamp) in known { try writer.setStamp(stamp, of: place) }
                for place in back {
                    guard let id = try writer.row(at: place)?.item.id else { continue }
                    if try writer.set(.present, of: id) { changes.addPut(id) }
                }
                for (item, file) in pictures {
                    let found = try Self.moved(item, file.place, writer)
                    if try writer.put(found, file: file.place, stamp: file.stamp) { changes.addPut(found.id) }
                }
                return changes
            })
        try readSidecars()
        state.read += fresh.count
        (fresh, seen, revived) = ([], [], [])
        progress(state)
    }

    /// Reads the sidecars that are new, changed or gone. A damaged one leaves the notes as they are.
    private mutating func readSidecars() throws(CaptureError) {
        var found: [(ItemPlace, ItemNotes, Int64)] = []
        for place in noted {
            do throws(CaptureError) {
                let (notes, stamp) = try Sidecars.read(place.path)
                found.append((place, notes, stamp))
            } catch {
                report(error)
            }
        }
        noted = []
        guard !found.isEmpty else { return }
        let read = found
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for (place, notes, stamp) in read {
                    guard let row = try writer.row(at: place) else { continue }
                    if try writer.set(notes, of: row.item.id) { changes.addPut(row.item.id) }
                    try writer.setSidecar(stamp, of: place)
                }
                return changes
            })
    }

    /// Returns the missing item whose file a person has moved here; otherwise the item itself.
    private static func moved(_ item: LibraryItem, _ place: ItemPlace, _ writer: IndexWriter) throws -> LibraryItem {
        let lost = try writer.missing(byteCount: item.facts.byteCount)
        guard !lost.isEmpty, let digest = try? FileDigest(place.path, most: item.facts.byteCount) else { return item }
        guard var found = lost.first(where: { $0.facts.sha256 == digest.sha256 }) else { return item }
        found.facts.fileName = place.name
        return found
    }

    private mutating func missGone() throws(CaptureError) {
        let places = gone
        let limit = WallTime.now().seconds - Self.patience
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for place in places { if let id = try writer.miss(place) { changes.addRemoved(id) } }
                for id in try writer.removeMissing(since: limit) { changes.addRemoved(id) }
                return changes
            })
    }
}
#endif
