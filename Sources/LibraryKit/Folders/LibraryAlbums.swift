// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit

extension LibraryIndex {
    /// Creates an album without pictures: a folder with the file `album.yaml`. Blocks.
    ///
    /// - Parameter parent: The absolute path of the folder for albums, which becomes a part of the library.
    /// - Throws: `CaptureError` `.usage` if an album has this title, or the title is none; the errors of files.
    public func createAlbum(_ title: String, in parent: String) throws(CaptureError) -> Album {
        try checkTitle(title)
        try StillFolder.make(parent)
        let root = try addFolder(parent)
        guard root.state != .offline else {
            throw CaptureError(.noInput, "is on a disk that is away", subject: parent, advice: "connect it")
        }
        if root.state == .stale { _ = try LibraryScan(self, folder: parent) }
        let folder = Self.freeFolder(for: title, in: parent)
        let file = AlbumFile(id: AlbumFile.newID(), title: title)
        try StillFolder.make(folder)
        try file.write(in: folder)
        try write { try $0.setAlbum(file, in: folder) }
        return Album(id: file.id, title: title, count: 0, cover: nil, folder: folder)
    }

    /// Gives an album another title. Its folder stays. Blocks.
    ///
    /// - Throws: `CaptureError` `.usage` if an album has this title, or the title is none; the errors of files.
    public func rename(_ album: Album, to title: String) throws(CaptureError) {
        guard title != album.title else { return }
        try checkTitle(title)
        var file = try AlbumFile(in: album.folder) ?? AlbumFile(id: album.id, title: title)
        file.title = title
        try file.write(in: album.folder)
        let changed = file
        try write { try $0.setAlbum(changed, in: album.folder) }
    }

    /// Adds pictures to an album: as links, and as copies from another disk. Their sidecars are copied. Blocks.
    ///
    /// - Parameter report: Receives the error of each picture that cannot be added.
    /// - Returns: The IDs of the pictures that were not in the album before.
    /// - Throws: `CaptureError` if the folder cannot be written, or the index not be changed.
    public func add(
        _ identifiers: [ItemID], to album: Album, report: (CaptureError) -> Void = { _ in }
    ) throws(CaptureError) -> [ItemID] {
        var writer = AlbumWriter(album.folder, try members(ofAlbumIn: album.folder).map(\.place.name))
        let added = try changeFiles(of: identifiers, report) { id throws(CaptureError) -> AlbumWriter.Member? in
            guard let (item, places) = try item(id) else { throw .unknownItem(id.description) }
            let isMember = places.contains { $0.role == .album && $0.folder == album.folder }
            return isMember ? nil : try writer.add(item, places)
        }
        guard !added.isEmpty else { return [] }
        try StillFolder.sync(album.folder)
        try write { writer in
            for (id, member) in added {
                try writer.set(hash: member.hash, of: id)
                try writer.addPlaces([member.place], of: id)
                try writer.setStamp(member.stamp, of: member.place)
                try writer.setSidecar(member.sidecar, of: member.place)
            }
        }
        return added.map(\.id)
    }

    /// Removes pictures from an album. The pictures stay. Blocks.
    ///
    /// - Parameter report: Receives the error of each picture that cannot be removed, such as one whose only file is in the
    ///   album.
    /// - Returns: The IDs of the pictures that were removed.
    public func remove(
        _ identifiers: [ItemID], from album: Album, report: (CaptureError) -> Void = { _ in }
    ) throws(CaptureError) -> [ItemID] {
        let removed = try changeFiles(of: identifiers, report) { id throws(CaptureError) -> [ItemPlace]? in
            guard let places = try item(id)?.places else { throw .unknownItem(id.description) }
            let links = places.filter { $0.role == .album && $0.folder == album.folder }
            guard !links.isEmpty else { return nil }
            let others = places.filter { $0.role.isPicture && !links.contains($0) && DeviceFiles.exists($0.path) }
            guard !others.isEmpty else { throw .onlyFile(id) }
            for place in links { try Self.removeLink(place) }
            return links
        }
        try write { writer in
            for place in removed.flatMap(\.change) { _ = try writer.miss(place) }
        }
        return removed.map(\.id)
    }

    /// Removes an album. Its pictures stay; a picture that has no other file goes into the trash. Blocks.
    ///
    /// - Parameter report: Receives the error of each picture that cannot be removed. The album stays then.
    public func remove(_ album: Album, report: (CaptureError) -> Void = { _ in }) throws(CaptureError) {
        let members = try members(ofAlbumIn: album.folder).map(\.id)
        var alone: [ItemID] = []
        _ = try remove(members, from: album) { error in
            if let id = error.subject.flatMap({ ItemID($0) }), error.code == .usage {
                alone.append(id)
            } else {
                report(error)
            }
        }
        _ = try delete(alone, report: report)
        guard try self.members(ofAlbumIn: album.folder).allSatisfy({ !DeviceFiles.exists($0.place.path) }) else {
            return
        }
        let file = album.folder + "/" + AlbumFile.name
        guard unlink(file) == 0 || errno == ENOENT else { throw .file(errno, file, "cannot be removed") }
        rmdir(album.folder)
        try write { try $0.forgetAlbum(in: album.folder) }
    }

    // MARK: - Parts

    private func checkTitle(_ title: String) throws(CaptureError) {
        guard AlbumFile.isTitle(title) else {
            throw CaptureError(
                .usage, "is not a title", subject: title.prefix(20).description.withoutControls.quoted,
                advice: "give 1 to \(AlbumFile.mostTitleBytes) bytes of letters, digits or signs")
        }
        guard try !albums().contains(where: { $0.title == title }) else {
            throw CaptureError(
                .usage, "there is an album of this title", subject: title, advice: "choose another title, or add to it")
        }
    }

    /// Returns the path of a new folder that is named like a title.
    private static func freeFolder(for title: String, in parent: String) -> String {
        var name = String(title.map { $0 == "/" ? "-" : $0 })
        if name.hasPrefix(".") { name = "_" + name }
        var (path, number) = (parent + "/" + name, 1)
        while DeviceFiles.exists(path) {
            number += 1
            path = "\(parent)/\(name) \(number)"
        }
        return path
    }

    private static func removeLink(_ place: ItemPlace) throws(CaptureError) {
        guard unlink(place.path) == 0 || errno == ENOENT else { throw .file(errno, place.path, "cannot be removed") }
        unlink(XMPSidecar.path(of: place.path))
    }
}

/// Gives pictures files in the folder of an album.
private struct AlbumWriter {
    /// A new file.
    struct Member {
        let place: ItemPlace
        let hash: String
        let stamp: Int64, sidecar: Int64
    }

    private let folder: String
    private var number: Int
    private let store = StillStore(overwrites: false, latest: nil)

    private static let mostFiles = 100_000_000

    /// - Parameter names: The names of the album's files, which begin with their numbers.
    init(_ folder: String, _ names: [String]) {
        self.folder = folder
        // A person can give any name.
        number =
            names.compactMap { Int($0.prefix { $0 != "-" }) }.filter { (0...Self.mostFiles).contains($0) }.max() ?? 0
    }

    mutating func add(_ item: LibraryItem, _ places: [ItemPlace]) throws(CaptureError) -> Member {
        guard let source = places.filter(\.role.isPicture).first(where: { DeviceFiles.exists($0.path) }) else {
            throw CaptureError(.noInput, "has no file here", subject: "\(item.id)", advice: "connect its disk")
        }
        let digest = try FileDigest(source.path, most: .max - 1)
        let name = try link(source, item)
        let place = ItemPlace(folder: folder, name: name, role: .album)
        let sidecar = XMPSidecar.path(of: source.path)
        if DeviceFiles.exists(sidecar) { _ = try store.copy(sidecar, to: XMPSidecar.path(of: place.path)) }
        return Member(
            place: place, hash: digest.sha256, stamp: Sidecars.stamp(of: place.path) ?? 0,
            sidecar: Sidecars.stamp(of: XMPSidecar.path(of: place.path)) ?? 0)
    }

    /// Gives a file one more name, which begins with the next free number, so that the names keep the order.
    private mutating func link(_ source: ItemPlace, _ item: LibraryItem) throws(CaptureError) -> String {
        while true {
            number += 1
            let digits = String(number)
            let start = String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits + "-"
            let name = source.role == .album ? item.facts.fileName : source.name
            let path = folder + "/" + start + name
            guard Glibc.link(source.path, path) != 0 else { return start + name }
            switch errno {
            case EEXIST: continue
            // Another disk, FAT, a file of another user, or too many links.
            case EXDEV, EPERM, EOPNOTSUPP, EMLINK, ENOSYS:
                _ = try store.copy(source.path, to: path)
                return start + name
            default: throw .file(errno, path, "cannot be created")
            }
        }
    }
}

extension CaptureError {
    fileprivate static func onlyFile(_ id: ItemID) -> CaptureError {
        CaptureError(
            .usage, "has its only file in this album", subject: "\(id)", advice: "delete the picture in place of that")
    }
}
#endif
