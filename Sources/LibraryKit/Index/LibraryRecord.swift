// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import StillKit

/// The name of a library's board, and the folders of the library with their markers, which no picture and no sidecar has. The
/// file `library.json` beside the index has them, so that an index that is damaged or deleted can be made again.
///
/// Every call blocks.
struct LibraryRecord: Sendable, Hashable {
    /// A folder of the library.
    struct Folder: Sendable, Hashable {
        let path: String, marker: String
    }

    /// The board of the IDs.
    let board: BoardName
    /// The folders, in the order of their paths.
    let folders: [Folder]

    private static let name = "library.json"
    private static let mostBytes = 1 << 20

    init(board: BoardName, roots: [LibraryRoot]) {
        (self.board, folders) = (board, roots.map { Folder(path: $0.path, marker: $0.marker) })
    }

    /// Reads the record in the folder of an index; `nil` if it is missing or damaged. The next change of the library's
    /// folders writes it again.
    init?(in folder: String) {
        let path = folder + "/" + Self.name
        guard let bytes = try? RegularFile.read(path, most: Self.mostBytes),
            let object = try? JSONNode(
                String(decoding: bytes, as: UTF8.self), path: path, levels: 4, mostValues: Self.mostBytes),
            let board = (try? object.text("board")).flatMap({ BoardName($0) }),
            let folders = try? object.list("folders").map({ entry in
                Folder(path: try entry.text("path"), marker: try entry.text("marker"))
            })
        else { return nil }
        // Scans walk below these paths.
        (self.board, self.folders) = (board, folders.filter { $0.path.hasPrefix("/") })
    }

    /// The folders before they are scanned again.
    var staleRoots: [LibraryRoot] { folders.map { LibraryRoot(path: $0.path, marker: $0.marker, state: .stale) } }

    /// Writes the record, durably.
    func write(in folder: String) throws(CaptureError) {
        let list = folders.map { JSONValue.object(["path": .string($0.path), "marker": .string($0.marker)]) }
        let object = JSONValue.object(["board": .string(board.description), "folders": .array(list)])
        try StillStore(overwrites: true, latest: nil).write(
            Array((object.text + "\n").utf8), to: folder + "/" + Self.name)
    }
}
#endif
