// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The files of an index that a scan did not find any more.
///
/// Every call that takes an index blocks.
struct GonePlaces {
    /// A picture of an account whose file has another place now.
    struct Move {
        let item: LibraryItem
        let from: ItemPlace, to: ItemPlace
        /// When the file was last changed, in nanoseconds since 1970.
        let stamp: Int64
        /// The item that the file was at its new place.
        let copy: ItemID
    }

    /// The files of a folder.
    private struct Folder {
        let path: String
        var files: [(name: String, role: ItemPlace.Role)] = []
    }

    private var folders: [Folder] = []
    /// The sizes of the pictures in bytes.
    private var byteCounts: Set<Int> = []

    /// The places, in the order of their folders.
    var places: some Sequence<ItemPlace> {
        folders.lazy.flatMap { folder in
            folder.files.lazy.map { ItemPlace(folder: folder.path, name: $0.name, role: $0.role) }
        }
    }

    /// Adds files of a folder that were not in its list. Those of hidden pictures were gone before, and one that is there was
    /// added after the folder was listed, such as by a capture.
    mutating func add(_ files: [[UInt8]: KnownFile], in folder: String) {
        // The names of a series are in the order of time, as the rows of the index are: neighbors are on one page of it.
        let names = files.filter { !$0.value.isHidden }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (name, file) in names {
            let place = ItemPlace(folder: folder, name: String(decoding: name, as: UTF8.self), role: file.role)
            guard Sidecars.stamp(of: place.path) == nil else { continue }
            add(place)
            byteCounts.insert(file.byteCount)
        }
    }

    private mutating func add(_ place: ItemPlace) {
        // Two paths can be equal as texts, in two forms of Unicode.
        let isSame = folders.last?.path.utf8.elementsEqual(place.folder.utf8) ?? false
        if !isSame { folders.append(Folder(path: place.folder)) }
        folders[folders.count - 1].files.append((place.name, place.role))
    }

    /// Removes the places of pictures that were moved: a file without an account has the same bytes. A file that was without
    /// an account before needs no such search, as its ID follows from its bytes.
    mutating func removeMoved(_ index: LibraryIndex) throws(CaptureError) -> [Move] {
        guard try index.hasFiles(withoutAccount: byteCounts) else { return [] }
        var (moves, kept, copies) = ([Move](), GonePlaces(), Copies())
        for place in places {
            if let (item, hash) = try Self.lostPicture(at: place, index),
                let copy = try copies.take(hash, item.facts.byteCount, index)
            {
                moves.append(Move(item: item, from: place, to: copy.place, stamp: copy.stamp, copy: copy.id))
            } else {
                kept.add(place)
            }
        }
        folders = kept.folders
        return moves
    }

    /// Returns the picture of an account whose only file was at a place, with its hash.
    private static func lostPicture(
        at place: ItemPlace, _ index: LibraryIndex
    ) throws(CaptureError) -> (LibraryItem, hash: String)? {
        guard place.role == .shown, let (item, places) = try index.picture(at: place), item.facts.kind != .file,
            let hash = item.facts.sha256, !places.contains(where: { $0.role == .shown && $0.path != place.path })
        else { return nil }
        return (item, hash)
    }

    /// The files without an account, by their size and hash. The files of a size are read once, when they are needed.
    private struct Copies {
        private var copies: [Int: [String: Copy]] = [:]

        struct Copy {
            let id: ItemID
            let place: ItemPlace
            let stamp: Int64
        }

        /// Returns a file with a hash, once.
        mutating func take(_ hash: String, _ byteCount: Int, _ index: LibraryIndex) throws(CaptureError) -> Copy? {
            if copies[byteCount] == nil {
                var found: [String: Copy] = [:]
                for (id, place) in try index.files(withoutAccount: byteCount) {
                    guard let stamp = Sidecars.stamp(of: place.path),
                        let digest = try? FileDigest(place.path, most: byteCount)
                    else { continue }
                    found[digest.sha256] = Copy(id: id, place: place, stamp: stamp)
                }
                copies[byteCount] = found
            }
            return copies[byteCount]?.removeValue(forKey: hash)
        }
    }

    /// Returns the number of pictures that have no other file, and the other files of those that have.
    func others(_ index: LibraryIndex) throws(CaptureError) -> (lostCount: Int, remaining: [ItemPlace]) {
        // Few pictures have several files: for a million others, the paths would need 100 MB.
        lazy var paths = Set(places.map { Array($0.path.utf8) })
        var (lostCount, remaining) = (0, [ItemPlace]())
        try index.forEachPicture(at: places.lazy.filter { $0.role.isPicture }) { files in
            guard files.count > 1 else {
                lostCount += 1
                return
            }
            let others = files.filter { $0.role.isPicture && !paths.contains(Array($0.path.utf8)) }
            if others.isEmpty { lostCount += 1 }
            remaining += others
        }
        return (lostCount, remaining)
    }
}
#endif
