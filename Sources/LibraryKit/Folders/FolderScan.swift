// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import LedgerKit
import StillKit

/// Compares the files below a folder with an index: pictures and movies without an account, those that are gone or came
/// back, and sidecars.
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
    private var gone = GonePlaces()
    private var seen: [(ItemPlace, Int64)] = []
    private var noted: [ItemPlace] = []
    private var revived: [ItemPlace] = []
    /// The folders that could not be read: nothing below them is gone.
    private var unreadable: [String] = []
    private var knownCount = 0
    private var batch = Self.batch

    /// A file that the index does not know, or knows otherwise.
    private struct Fresh {
        let place: ItemPlace
        let stamp: Int64
        let byteCount: Int
        /// The item that the file had.
        let old: KnownFile?
    }

    /// More pictures than this, and more than this part of a folder, do not vanish at once without a reason.
    private static let mostVanished = 50
    private static let mostVanishedPart = 0.1
    /// A transaction has so many pictures. Other changes of the index wait for it: only the first scan of a folder, and that
    /// of a rebuild, has larger ones, which write each page of the index less often.
    private static let batch = 1000, firstBatch = 5000
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
        if root.state == .stale { batch = Self.firstBatch }
        try readTrash()
        try walk(FolderRange(folder, among: try index.roots()))
        try store()
        // The disk may have been pulled meanwhile.
        guard !root.isAway else {
            root.state = .offline
            let away = root
            try index.setRoot(away)
            return Result(root: root, changes: changes)
        }
        try followMoved()
        try joinTwins()
        let (lostCount, remaining) = try gone.others(index)
        var vanished = lostCount
        if !accepts, vanished > Self.mostVanished, Double(vanished) > Double(knownCount) * Self.mostVanishedPart {
            root.state = .shrunk
        } else {
            vanished = 0
            try missGone(besides: remaining)
            root.state = .online
        }
        try index.setRoot(root)
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
        if root.isAway {
            root.state = .offline
        } else if root.state == .offline {
            root.state = .stale
        }
        if root != known {
            try index.setRoot(root)
        }
        return root
    }

    /// Brings the index up to date with the trash of the folder.
    private mutating func readTrash() throws(CaptureError) {
        changes.add(try TrashScan(index, folder, report).run())
    }

    // MARK: - Walking

    /// Looks at each folder. Links are not followed, so no folder is seen twice. Folders of the library inside this one
    /// are scanned separately: their disks may be away.
    private mutating func walk(_ range: FolderRange) throws(CaptureError) {
        var (waiting, unseen) = ([folder], Set(try index.folders(in: range)))
        while let next = waiting.popLast() {
            try checkCanceled()
            unseen.remove(next)
            waiting += try look(into: next).filter(range.contains)
        }
        for folder in try index.albumFolders(in: range) where !AlbumFile.isAlbum(folder) && !isUnreadable(folder) {
            try index.write { try $0.forgetAlbum(in: folder) }
        }
        for folder in unseen where !isUnreadable(folder) { try look(atMissing: folder) }
    }

    private func checkCanceled() throws(CaptureError) {
        if Task.isCancelled { throw CaptureError(.temporary, "the scan was canceled", subject: folder) }
    }

    private func isUnreadable(_ folder: String) -> Bool {
        unreadable.contains { folder == $0 || folder.hasPrefix($0 + "/") }
    }

    /// Compares the files of a folder, and returns the folders in it.
    private mutating func look(into folder: String) throws(CaptureError) -> [String] {
        let listing: FolderListing
        do throws(CaptureError) {
            listing = try FolderListing(folder, report: report)
        } catch {
            report(error)
            unreadable.append(folder)
            return []
        }
        let isAlbum = try readAlbum(folder)
        var known = try index.files(in: folder)
        knownCount += known.values.count { !$0.isHidden }
        for file in listing.files where PictureScan.isPicture(file.name) || known[Array(file.name.utf8)] != nil {
            state.pictures += 1
            let old = known.removeValue(forKey: Array(file.name.utf8))
            let role = old?.role ?? (isAlbum ? .album : .shown)
            compare(file, old, ItemPlace(folder: folder, name: file.name, role: role))
            if fresh.count + seen.count + noted.count >= batch { try store() }
        }
        gone.add(known, in: folder)
        return listing.folders
    }

    /// Notes what differs between a file and the index.
    private mutating func compare(_ file: FolderListing.File, _ old: KnownFile?, _ place: ItemPlace) {
        let isShown = place.role.isPicture
        let hasItsSize = old.map { !isShown || $0.byteCount == file.byteCount } ?? false
        if isShown, old?.sidecar ?? 0 != file.sidecar ?? 0 { noted.append(place) }
        if old?.isHidden == true, hasItsSize { revived.append(place) }
        guard old?.stamp != file.stamp || !hasItsSize else { return }
        if hasItsSize, old?.stamp == 0 || !isShown {
            // The account has its facts; only its time of change is new.
            seen.append((place, file.stamp))
        } else {
            fresh.append(Fresh(place: place, stamp: file.stamp, byteCount: file.byteCount, old: old))
            // The item that the file becomes has no notes yet.
            if file.sidecar != nil, noted.last != place { noted.append(place) }
        }
    }

    /// Brings the index up to date with the file that makes a folder an album.
    ///
    /// - Returns: `true` if the folder is an album. A damaged file leaves an album as it is.
    private mutating func readAlbum(_ folder: String) throws(CaptureError) -> Bool {
        let known = try index.album(in: folder)
        do throws(CaptureError) {
            let found = try AlbumFile(in: folder)
            return found == known ? found != nil : try index.write { try $0.readAlbum(in: folder) }
        } catch {
            if error.subject == index.path { throw error }
            report(error)
            return known != nil
        }
    }

    private mutating func look(atMissing folder: String) throws(CaptureError) {
        let known = try index.files(in: folder)
        knownCount += known.values.count { !$0.isHidden }
        gone.add(known, in: folder)
    }

    // MARK: - Changing the index

    /// Reads the new files, and stores them.
    private mutating func store() throws(CaptureError) {
        try checkCanceled()
        var pictures: [(LibraryItem, Fresh)] = []
        for file in fresh {
            do throws(CaptureError) {
                if let item = try read(file) { pictures.append((item, file)) }
            } catch {
                // The others are about one file.
                if error.subject == index.path || Task.isCancelled { throw error }
                // A recording comes when it is complete.
                if error.code != .temporary { report(error) }
            }
        }
        let (known, back) = (seen, revived)
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for (place, stamp) in known { try writer.setStamp(stamp, of: place) }
                for place in back {
                    if let id = try writer.revive(place) { changes.addPut(id) }
                }
                for (item, file) in pictures where file.place.role == .album {
                    if let id = try writer.put(item, inAlbum: file.place, stamp: file.stamp) { changes.addPut(id) }
                }
                let mayBeMoved = try writer.hasMissing()
                for (item, file) in pictures where file.place.role != .album {
                    // An account may have added the file since it was listed.
                    if file.old == nil, try writer.hasFile(at: file.place) { continue }
                    let found = mayBeMoved ? try Self.moved(item, file.place, writer) : item
                    if try writer.put(found, file: file.place, stamp: file.stamp) { changes.addPut(found.id) }
                }
                return changes
            })
        try readSidecars()
        state.read += fresh.count
        (fresh, seen, revived) = ([], [], [])
        progress(state)
    }

    /// Returns the item of a new file; `nil` if the file has the bytes of the picture that it had: only its time is new.
    private mutating func read(_ file: Fresh) throws(CaptureError) -> LibraryItem? {
        let scan = try PictureScan(file.place.path)
        var item = LibraryItem(id: ItemID(index.board, .file(scan.mark)), facts: scan.facts)
        if file.place.role == .album {
            item.facts.sha256 = try FileDigest(file.place.path, most: file.byteCount).sha256
        }
        guard file.old != nil, let (old, places) = try index.picture(at: file.place) else { return item }
        // A list of clips has no hashes: a file with the size of its clip only has a new time.
        if old.facts.kind == .clip, old.facts.sha256 == nil, file.byteCount == old.facts.byteCount {
            seen.append((file.place, file.stamp))
            return nil
        }
        if let hash = old.facts.sha256, file.byteCount == old.facts.byteCount {
            let digest = try FileDigest(file.place.path, most: file.byteCount)
            if digest.sha256 == hash {
                seen.append((file.place, file.stamp))
                return nil
            }
            // An edit in the middle of a file leaves its mark, and so its ID.
            if old.id == item.id { item.facts.sha256 = digest.sha256 }
        }
        // The old picture loses a file, with its sidecar.
        noted += places.filter { $0.role.isPicture && $0.path != file.place.path }
        return item
    }

    /// Reads the sidecars that are new, changed or gone. A picture with several files has the notes of all their sidecars.
    /// A damaged one leaves the notes as they are.
    private mutating func readSidecars() throws(CaptureError) {
        let places = Set(noted)
        noted = []
        var found: [ItemID: Sidecars.Reading] = [:]
        for place in places {
            guard let (item, places) = try index.picture(at: place), found[item.id] == nil else { continue }
            do throws(CaptureError) {
                found[item.id] = try Sidecars.read(places.filter(\.role.isPicture))
            } catch {
                report(error)
            }
        }
        guard !found.isEmpty else { return }
        let readings = found
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for (id, reading) in readings {
                    if try writer.set(reading.notes, of: id) { changes.addPut(id) }
                    for (place, stamp) in reading.stamps { try writer.setSidecar(stamp, of: place) }
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

    /// Gives pictures of accounts that a person moved within the folder their new files.
    private mutating func followMoved() throws(CaptureError) {
        let moves = try gone.removeMoved(index)
        guard !moves.isEmpty else { return }
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                for move in moves {
                    _ = try writer.miss(move.from)
                    var item = move.item
                    item.facts.fileName = move.to.name
                    if try writer.put(item, file: move.to, stamp: move.stamp) { changes.addPut(item.id) }
                    changes.addRemoved(move.copy)
                }
                return changes
            })
        noted += moves.map(\.to)
        try readSidecars()
    }

    /// Gives pictures of albums to the accounts that have the same pictures, which may have been read after the album.
    private mutating func joinTwins() throws(CaptureError) {
        try index.hashClips(of: try index.albumFileSizes())
        let (gone, places) = try index.write { try $0.joinTwins() }
        for id in gone { changes.addRemoved(id) }
        noted += places
        try readSidecars()
    }

    /// - Parameter remaining: The other files of the pictures, from which alone these have their notes now.
    private mutating func missGone(besides remaining: [ItemPlace]) throws(CaptureError) {
        var places = gone.places.makeIterator()
        // In one transaction for all, captures would wait for it.
        while let first = places.next() {
            var next = [first]
            while next.count < Self.batch, let place = places.next() { next.append(place) }
            let missing = try index.write { writer in try next.compactMap { try writer.miss($0) } }
            for id in missing { changes.addRemoved(id) }
        }
        let limit = WallTime.now().seconds - Self.patience
        let forgotten = try index.write { try $0.removeMissing(since: limit) }
        for id in forgotten { changes.addRemoved(id) }
        noted += remaining
        try readSidecars()
    }
}
#endif
