// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import StillKit

/// Compares the trash of a folder with an index, after the accounts of the folder and before its files.
///
/// Every call blocks.
struct TrashScan {
    private let index: LibraryIndex
    private let folder: String
    private let trash: TrashFolder
    private let report: (CaptureError) -> Void
    private var changes = LibraryChanges()

    init(_ index: LibraryIndex, _ folder: String, _ report: @escaping (CaptureError) -> Void) {
        (self.index, self.folder, trash, self.report) = (index, folder, TrashFolder(folder), report)
    }

    /// Completes the deletions and restorations that were interrupted, and gives each picture in the trash its state.
    ///
    /// - Throws: `CaptureError` if the index cannot be read or changed.
    consuming func run() throws(CaptureError) -> LibraryChanges {
        complete()
        var found: Set<ItemID> = []
        for entry in trash.entries() {
            guard let id = ItemID(entry.name) else { continue }
            do throws(CaptureError) {
                found.insert(try add(entry, id))
            } catch {
                if error.subject == index.path { throw error }
                report(error)
            }
        }
        try forget(besides: found)
        return changes
    }

    private func complete() {
        let lock = SidecarLock(besides: index.path)
        for name in trash.names() {
            do throws(CaptureError) {
                try lock.hold { () throws(CaptureError) in try trash.complete(name) }
            } catch {
                report(error)
            }
        }
    }

    /// Hides the picture of an entry.
    ///
    /// - Returns: Its ID.
    private mutating func add(_ entry: TrashFolder.Entry, _ id: ItemID) throws(CaptureError) -> ItemID {
        guard let (item, places) = try index.item(id) else { return try addUnknown(entry) }
        try addPlaces(of: entry, to: item, besides: places)
        guard item.state != .trash else { return id }
        // The same picture is there again, such as from a card.
        guard !places.contains(where: { $0.role.isPicture && DeviceFiles.exists($0.path) }) else {
            if entry.deleted.seconds < WallTime.now().seconds - LibraryIndex.trashSeconds {
                try trash.drop(entry.name)
            }
            return id
        }
        changes.add(
            try index.write { writer in
                var changes = LibraryChanges()
                if try writer.set(.trash, of: id, since: entry.deleted.seconds) { changes.addRemoved(id) }
                return changes
            })
        return id
    }

    /// Adds the places of an entry that the index does not have. Links in albums give a picture no facts.
    private func addPlaces(
        of entry: TrashFolder.Entry, to item: LibraryItem, besides known: [ItemPlace]
    ) throws(CaptureError) {
        let all = places(of: entry)
        let places = all.filter { !known.contains($0) }
        guard !places.isEmpty else { return }
        var found = item
        if item.facts.kind == .file, !known.contains(where: { $0.role == .shown }),
            let shown = all.firstIndex(where: { $0.role == .shown }),
            let scan = try? PictureScan(trash.path(of: shown, in: entry))
        {
            found.facts = scan.facts
            found.facts.sha256 = item.facts.sha256
        }
        let changed = found
        try index.write { writer in
            try writer.put(changed, at: known + places)
            if let row = try writer.find(changed.id) { try writer.refreshAlbums(of: row.key) }
        }
    }

    /// Adds a picture that the index does not know: that of a file without an account. It has another ID than the entry if
    /// its account does not have it any more.
    private mutating func addUnknown(_ entry: TrashFolder.Entry) throws(CaptureError) -> ItemID {
        let inside = entry.paths.indices.map { ItemPlace(path: trash.path(of: $0, in: entry)) }
        guard let first = inside.first else { throw CaptureError(.noInput, "has no file", subject: entry.name) }
        let id = ItemID(index.board, .file(try PictureScan(first.path).mark))
        if "\(id)" != entry.name { try trash.rename(entry.name, to: "\(id)") }
        var files: [(item: LibraryItem, place: ItemPlace, stamp: Int64)] = []
        for (copy, place) in zip(inside, places(of: entry)) where DeviceFiles.exists(copy.path) {
            var item = LibraryItem(id: id, facts: try PictureScan(copy.path).facts)
            item.facts.fileName = place.name
            files.append((item, place, Sidecars.stamp(of: copy.path) ?? 0))
        }
        let (notes, found) = ((try? Sidecars.read(inside))?.notes ?? ItemNotes(), files)
        try index.write { writer in
            guard try writer.find(id) == nil else { return }
            for (item, place, stamp) in found { try writer.put(item, file: place, stamp: stamp) }
            try writer.set(notes, of: id)
            try writer.set(.trash, of: id, since: entry.deleted.seconds)
        }
        return id
    }

    /// Returns the places to which the files of an entry return.
    private func places(of entry: TrashFolder.Entry) -> [ItemPlace] {
        entry.paths.map { path in
            var place = ItemPlace(path: folder + "/" + path)
            if AlbumFile.isAlbum(place.folder) { place.role = .album }
            return place
        }
    }

    /// Forgets the pictures whose entries are gone: the trash was emptied to make room, or by a person.
    private mutating func forget(besides found: Set<ItemID>) throws(CaptureError) {
        let range = FolderRange(folder, among: try index.roots())
        for id in try index.trashed(in: range) where !found.contains(id) {
            guard try index.trashedPath(of: id) == nil else { continue }
            try index.write { writer in try writer.forgetTrashed(id) }
        }
    }
}
#endif
