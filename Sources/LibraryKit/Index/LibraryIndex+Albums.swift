// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

/// An album: a folder with links to pictures.
public struct Album: Sendable, Hashable {
    /// The ID, which stays when the album gets another title: 8 hexadecimal digits.
    public let id: String
    /// The title.
    public var title: String
    /// The number of pictures.
    public var count: Int
    /// The picture that is shown for the album; `nil` if it has none.
    public var cover: ItemID?
    /// The absolute path of the folder.
    public var path: String { folder }
    let folder: String

    /// `true` for a text that can be a title.
    package static func isTitle(_ text: String) -> Bool { AlbumFile.isTitle(text) }

    /// The album as an object for programs, without a path of this machine.
    package var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "count": .integer(count),
            "cover": .optional(cover.map { "\($0)" }),
        ])
    }
}

extension LibraryIndex {
    /// Returns the albums in the order of their titles. A copy of an album's folder is not a second album.
    public func albums() throws(CaptureError) -> [Album] {
        let counts = Dictionary(try values(of: .album).map { ($0.value, $0.count) }) { $1 }
        return try read { database in
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT album.id, title, path, cover FROM album JOIN folder ON folder.id = album.folder ORDER BY title, path"
            ).compactMap(AlbumRow.init)
            var known: Set<String> = []
            return try rows.filter { known.insert($0.album.id).inserted }.map { row in
                let title = Facet(.album, row.album.title).value
                return Album(
                    id: row.album.id, title: row.album.title, count: counts[title] ?? 0,
                    cover: try row.coverID(in: database), folder: row.folder)
            }
        }
    }

    /// Returns the album with an ID or a title.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    public func album(_ name: String) throws(CaptureError) -> Album {
        let all = try albums()
        guard let album = all.first(where: { $0.id == name }) ?? all.first(where: { $0.title == name }) else {
            throw CaptureError(
                .noInput, "there is no such album", subject: name.withoutControls,
                advice: "gst-capture library album list shows them")
        }
        return album
    }

    /// Returns what the index knows of the album of a folder; `nil` if the folder is none.
    func album(in folder: String) throws(CaptureError) -> AlbumFile? {
        try read { try AlbumFile.fetch(of: folder, in: $0) }
    }

    /// Returns the folders of a range that are albums.
    func albumFolders(in range: FolderRange) throws(CaptureError) -> [String] {
        try read { database in
            try String.fetchAll(database, sql: "SELECT path FROM album JOIN folder ON folder.id = album.folder")
                .filter(range.contains)
        }
    }

    /// Returns the files of an album in the order of their names, with their pictures.
    func members(ofAlbumIn folder: String) throws(CaptureError) -> [(id: ItemID, place: ItemPlace)] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT item.id, place.name FROM place JOIN item ON item.key = place.item
                    WHERE folder = (SELECT id FROM folder WHERE path = ?) AND role = \(ItemPlace.Role.album.rawValue)
                    ORDER BY place.name
                    """, arguments: [folder]
            ).compactMap { row in
                guard let id = row.value(0).flatMap({ ItemID($0) }), let name: String = row.value(1) else { return nil }
                return (id, ItemPlace(folder: folder, name: name, role: .album))
            }
        }
    }
}

extension AlbumFile {
    /// Returns the album of a folder as the index knows it.
    static func fetch(of folder: String, in database: Database) throws -> AlbumFile? {
        try Row.fetchOne(
            database,
            sql:
                "SELECT album.id, title, path, cover FROM album JOIN folder ON folder.id = album.folder WHERE path = ?",
            arguments: [folder]
        ).flatMap(AlbumRow.init)?.album
    }
}

/// A row of id, title, path and cover.
private struct AlbumRow {
    let album: AlbumFile
    let folder: String

    /// `true` for a text that can be a title.
    package static func isTitle(_ text: String) -> Bool { AlbumFile.isTitle(text) }

    init?(_ row: Row) {
        guard let id: String = row.value(0), let title: String = row.value(1), let folder: String = row.value(2) else {
            return nil
        }
        var album = AlbumFile(id: id, title: title)
        album.cover = row.value(3)
        (self.album, self.folder) = (album, folder)
    }

    /// Returns the picture of the cover; that of the first file if the album does not have the cover.
    func coverID(in database: Database) throws -> ItemID? {
        let select = """
            SELECT item.id FROM place JOIN item ON item.key = place.item
            WHERE folder = (SELECT id FROM folder WHERE path = ?)
                AND role = \(ItemPlace.Role.album.rawValue) AND state = \(LibraryItem.State.present.rawValue)
            """
        if let name = album.cover,
            let found = try String.fetchOne(database, sql: select + " AND place.name = ?", arguments: [folder, name])
        {
            return ItemID(found)
        }
        let first = select + " ORDER BY place.name LIMIT 1"
        return try String.fetchOne(database, sql: first, arguments: [folder]).flatMap { ItemID($0) }
    }
}
#endif
