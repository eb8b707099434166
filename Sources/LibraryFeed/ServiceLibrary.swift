// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LibraryKit
import ServiceKit
import StillKit

/// The library of a service: all its pictures, and those of other folders that the command `library` has scanned. A
/// ``LibraryFeed`` keeps it up to date.
///
/// Any task may use it; no call blocks its thread.
package struct ServiceLibrary: Sendable {
    package let index: LibraryIndex
    /// How far the feed is.
    let progress = FeedProgress()

    /// The sizes of thumbnails: the maximum width, in pixels.
    package static let thumbnailWidths = [Thumbnails.width, 1280]

    package init(_ index: LibraryIndex) { self.index = index }

    /// Opens the library of a state folder, and creates it if it is missing.
    ///
    /// - Parameter board: The name of this board; `nil` for that of the library.
    /// - Throws: `CaptureError` if the index cannot be opened or created, or the library has another board.
    package static func open(
        in state: String, board: BoardName? = nil
    ) async throws(CaptureError) -> ServiceLibrary {
        try await BlockingWork.run { () throws(CaptureError) in
            ServiceLibrary(try LibraryIndex(folder: try LibraryFolder.make(in: state), board: board))
        }
    }

    /// Calls `body` with the index on a thread that may block.
    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (LibraryIndex) throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        let index = index
        return try await BlockingWork.run { () throws(CaptureError) in try body(index) }
    }

    /// Returns a picture.
    ///
    /// - Throws: `CaptureError` `.noInput` if the text is no ID of a picture here.
    package func item(_ text: String) async throws(CaptureError) -> LibraryItem {
        try await read { index throws(CaptureError) in try Self.entry(text, index).item }
    }

    /// Changes tags, stars or the title of a picture, and returns it.
    ///
    /// - Throws: The errors of ``LibraryIndex/change(_:_:report:progress:)``, also that of the sidecar.
    package func change(_ text: String, _ change: NotesChange) async throws(CaptureError) -> LibraryItem {
        try await read { index throws(CaptureError) in
            let id = try Self.entry(text, index).item.id
            var failure: CaptureError?
            _ = try index.change([id], change) { failure = $0 }
            if let failure { throw failure }
            return try Self.entry(text, index).item
        }
    }

    /// Moves a picture into the trash.
    ///
    /// - Throws: The error of ``LibraryIndex/delete(_:report:progress:)`` about this picture.
    package func delete(_ text: String) async throws(CaptureError) {
        try await one(text) { index, id, report throws(CaptureError) in _ = try index.delete([id], report: report) }
    }

    /// Moves a picture out of the trash, and returns it.
    ///
    /// - Throws: The error of ``LibraryIndex/restore(_:report:progress:)`` about this picture.
    package func restore(_ text: String) async throws(CaptureError) -> LibraryItem {
        try await one(text) { index, id, report throws(CaptureError) in _ = try index.restore([id], report: report) }
        return try await item(text)
    }

    /// Removes a picture of the trash for good.
    ///
    /// - Throws: The error of ``LibraryIndex/erase(_:report:progress:)`` about this picture.
    package func erase(_ text: String) async throws(CaptureError) {
        try await one(text) { index, id, report throws(CaptureError) in _ = try index.erase([id], report: report) }
    }

    /// Removes all pictures of the trash for good.
    ///
    /// - Returns: The number of pictures that were removed. One that cannot be removed stays.
    package func emptyTrash() async throws(CaptureError) -> Int {
        try await read { index throws(CaptureError) in try index.emptyTrash() }
    }

    /// Creates an album in the state folder, and adds pictures to it.
    ///
    /// - Throws: `CaptureError` `.usage` if the title is taken or none; the first error of a picture, after the others were
    ///   added.
    package func createAlbum(_ title: String, _ change: AlbumChange) async throws(CaptureError) -> Album {
        try await read { index throws(CaptureError) in
            let album = try index.createAlbum(title, in: Self.albumFolder(index))
            return try Self.apply(change, to: album, index)
        }
    }

    /// Changes an album.
    ///
    /// - Throws: `CaptureError` `.noInput` if no album has this ID; the errors of ``createAlbum(_:_:)``.
    package func changeAlbum(_ id: String, _ change: AlbumChange) async throws(CaptureError) -> Album {
        try await read { index throws(CaptureError) in
            let album = try index.album(id)
            if let title = change.title { try index.rename(album, to: title) }
            return try Self.apply(change, to: album, index)
        }
    }

    /// Removes an album. Its pictures stay.
    ///
    /// - Throws: `CaptureError` `.noInput` if no album has this ID; the first error of a picture.
    package func removeAlbum(_ id: String) async throws(CaptureError) {
        try await read { index throws(CaptureError) in
            var failure: CaptureError?
            try index.remove(try index.album(id)) { failure = failure ?? $0 }
            if let failure { throw failure }
        }
    }

    /// Adds pictures to an album, and removes others from it. Blocks.
    private static func apply(
        _ change: AlbumChange, to album: Album, _ index: LibraryIndex
    ) throws(CaptureError) -> Album {
        var failure: CaptureError?
        _ = try index.add(change.added, to: album) { failure = failure ?? $0 }
        _ = try index.remove(change.removed, from: album) { failure = failure ?? $0 }
        if let failure { throw failure }
        return try index.album(album.id)
    }

    /// The folder of new albums, beside that of the index: `pictures/albums` in the state folder.
    private static func albumFolder(_ index: LibraryIndex) -> String {
        DeviceFiles.folder(of: DeviceFiles.folder(of: index.path)) + "/pictures/albums"
    }

    /// Changes one picture, and throws its error.
    private func one(
        _ text: String,
        _ body: @escaping @Sendable (LibraryIndex, ItemID, (CaptureError) -> Void) throws(CaptureError) -> Void
    ) async throws(CaptureError) {
        try await read { index throws(CaptureError) in
            let id = try Self.entry(text, index).item.id
            var failure: CaptureError?
            try body(index, id) { failure = $0 }
            if let failure { throw failure }
        }
    }

    private static func entry(
        _ text: String, _ index: LibraryIndex
    ) throws(CaptureError) -> (item: LibraryItem, places: [ItemPlace]) {
        guard let id = ItemID(text), let entry = try index.item(id) else { throw .unknownItem(text) }
        return entry
    }

    /// Opens the first file of a picture that is there. It is below a folder of the library, which no link leaves: the index
    /// is a file that other programs may write. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if the picture is unknown, or its file is away.
    package static func open(_ id: ItemID, _ index: LibraryIndex) throws(CaptureError) -> RegularFile {
        let roots = try index.roots().map(\.path)
        let (item, places) = try entry(id.description, index)
        var paths = places.filter(\.role.isPicture).map(\.path)
        if item.state == .trash { paths = try index.trashedPath(of: id).map { [$0] } ?? [] }
        for path in paths where item.isMovie || StillFormat(fileName: path) != nil {
            for root in roots where path.hasPrefix(root + "/") {
                let relative = String(path.dropFirst(root.count + 1))
                if let file = try? OpenFolder(root).file(relative) { return file }
            }
        }
        throw .noFile(id)
    }
}

/// A change of an album.
package struct AlbumChange: Sendable {
    /// The title; `nil` to leave it.
    package var title: String?
    /// The pictures to add, and those to remove.
    package var added: [ItemID] = [], removed: [ItemID] = []

    /// Creates a change of nothing.
    package init() {}
}

extension LibraryItem {
    /// Identifies the content of the picture.
    package var tag: String { facts.sha256 ?? "\(id)-\(facts.byteCount)" }

    /// `true` if its file is an MP4 file.
    package var isMovie: Bool { facts.duration != nil }

    /// The format of the file of a picture, by the name.
    package var format: StillFormat { StillFormat(fileName: facts.fileName) ?? .raw }
}

extension CaptureError {
    fileprivate static func noFile(_ id: ItemID) -> CaptureError {
        CaptureError(.noInput, "the file of the picture is away", subject: "\(id)", advice: "connect its disk")
    }
}
#endif
