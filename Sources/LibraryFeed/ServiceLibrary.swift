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

    /// The sizes of thumbnails: the maximum width, in pixels.
    package static let thumbnailWidths = [Thumbnails.width, 1280]

    package init(_ index: LibraryIndex) { self.index = index }

    /// Opens the library of a state folder, and creates it if it is missing.
    ///
    /// - Throws: `CaptureError` if the index cannot be opened or created.
    package static func open(in state: String) async throws(CaptureError) -> ServiceLibrary {
        try await BlockingWork.run { () throws(CaptureError) in
            ServiceLibrary(try LibraryIndex(folder: try LibraryFolder.make(in: state)))
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
    /// - Throws: The errors of ``LibraryIndex/change(_:_:report:)``, also that of the sidecar.
    package func change(_ text: String, _ change: NotesChange) async throws(CaptureError) -> LibraryItem {
        try await read { index throws(CaptureError) in
            let id = try Self.entry(text, index).item.id
            var failure: CaptureError?
            _ = try index.change([id], change) { failure = $0 }
            if let failure { throw failure }
            return try Self.entry(text, index).item
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
        let places = try entry(id.description, index).places
        for place in places where place.role == .shown && StillFormat(fileName: place.name) != nil {
            for root in roots where place.path.hasPrefix(root + "/") {
                let relative = String(place.path.dropFirst(root.count + 1))
                if let file = try? OpenFolder(root).file(relative) { return file }
            }
        }
        throw .noFile(id)
    }
}

extension LibraryItem {
    /// Identifies the content of the picture.
    package var tag: String { facts.sha256 ?? "\(id)-\(facts.byteCount)" }

    /// The format of its file, by the name.
    package var format: StillFormat { StillFormat(fileName: facts.fileName) ?? .raw }
}

extension CaptureError {
    fileprivate static func noFile(_ id: ItemID) -> CaptureError {
        CaptureError(.noInput, "the file of the picture is away", subject: "\(id)", advice: "connect its disk")
    }
}
#endif
