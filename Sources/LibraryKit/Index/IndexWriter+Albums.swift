// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

extension IndexWriter {
    /// Brings the index up to date with the file that makes a folder an album. Within the transaction: the program that creates
    /// an album writes the file first, so that the index has no album without one.
    ///
    /// - Returns: `true` if the folder is an album.
    func readAlbum(in folder: String) throws -> Bool {
        let (known, found) = (try AlbumFile.fetch(of: folder, in: database), try AlbumFile(in: folder))
        if (found == nil) != (known == nil) { try forgetFiles(in: folder) }
        if let found, found != known { try setAlbum(found, in: folder) }
        return found != nil
    }

    /// Notes that a folder is an album. Its pictures get the title.
    func setAlbum(_ album: AlbumFile, in folder: String) throws {
        let number = try folders.number(of: folder)
        try database.execute(
            sql: "INSERT OR REPLACE INTO album(folder, id, title, cover) VALUES(?, ?, ?, ?)",
            arguments: [number, album.id, album.title, album.cover])
        for key in try members(of: folder) { try refreshAlbums(of: key) }
    }

    /// Forgets what the index has of a folder that was an album, or becomes one: its files are new then.
    func forgetFiles(in folder: String) throws {
        for place in try ItemPlace.fetchAll(database, in: folder) { try forget(place) }
        try forgetAlbum(in: folder)
    }

    /// Forgets a file, with its picture if that has no other file and no account. Deleted pictures return to their files.
    private func forget(_ place: ItemPlace) throws {
        guard let row = try row(at: place), row.item.state != .trash else { return }
        try removePlace(place)
        if place.role == .album { try refreshAlbums(of: row.key) }
        let others = try ItemPlace.fetchAll(database, of: row.key)
        guard place.role.isPicture, !others.contains(where: \.role.isPicture) else { return }
        if row.item.facts.kind == .file { try remove(row.item.id) } else { try set(.missing, of: row.item.id) }
    }

    /// Forgets that a folder is an album.
    func forgetAlbum(in folder: String) throws {
        try database.execute(
            sql: "DELETE FROM album WHERE folder = (SELECT id FROM folder WHERE path = ?)", arguments: [folder])
        for key in try members(of: folder) { try refreshAlbums(of: key) }
    }

    /// Adds a file of an album: a further file of the picture with the same content, or a new picture.
    ///
    /// - Parameter item: The picture as a file without an account, with its hash.
    /// - Returns: The ID of the picture; `nil` if the index had the file already.
    @discardableResult
    func put(_ item: LibraryItem, inAlbum place: ItemPlace, stamp: Int64) throws -> ItemID? {
        guard let row = try twin(of: item) ?? find(item.id) else {
            try put(item, file: place, stamp: stamp)
            try row(at: place).map { try refreshAlbums(of: $0.key) }
            return item.id
        }
        try setPlaces([place], of: row.key)
        try setStamp(stamp, of: place)
        if let hash = item.facts.sha256 { try set(hash: hash, of: row.item.id) }
        try set(.present, of: row.item.id)
        try refreshAlbums(of: row.key)
        return row.item.id
    }

    /// Gives the pictures that only have files in albums to the accounts that have the same pictures.
    ///
    /// - Returns: The pictures that are gone, and the places that have other pictures now.
    func joinTwins() throws -> (gone: [ItemID], places: [ItemPlace]) {
        // Without the name of the index, SQLite reads all items.
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT DISTINCT \(ItemRow.list) FROM place INDEXED BY place_in_album JOIN item ON item.key = place.item
                WHERE role = \(ItemPlace.Role.album.rawValue) AND kind = \(ItemFacts.Kind.file.rawValue)
                    AND sha256 IS NOT NULL
                """
        ).compactMap(ItemRow.init)
        var (gone, joined) = ([ItemID](), [ItemPlace]())
        for row in rows {
            let places = try ItemPlace.fetchAll(database, of: row.key)
            guard places.allSatisfy({ $0.role == .album }), let twin = try twin(of: row.item) else { continue }
            // The last file that is taken removes the picture.
            try setPlaces(places, of: twin.key)
            try set(.present, of: twin.item.id)
            try refreshAlbums(of: twin.key)
            gone.append(row.item.id)
            joined += places
        }
        return (gone, joined)
    }

    /// Keeps the files in albums of a picture that its account has removed: they are a picture without an account.
    func keepAlbums(of row: ItemRow, _ places: [ItemPlace]) throws -> ItemID? {
        guard let first = places.first, let scan = try? PictureScan(first.path) else { return nil }
        var item = LibraryItem(id: ItemID(row.item.id.board, .file(scan.mark)), facts: scan.facts)
        item.facts.sha256 = row.item.facts.sha256
        for place in places {
            try put(item, inAlbum: place, stamp: Sidecars.stamp(of: place.path) ?? 0)
        }
        try set(row.item.notes, of: item.id)
        return item.id
    }

    /// Brings the titles of an item's albums up to date with its files.
    func refreshAlbums(of key: ItemKey) throws {
        guard let row = try row(of: key) else { return }
        let titles = try String.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT DISTINCT title FROM place JOIN album ON album.folder = place.folder
                    WHERE item = ? AND role = \(ItemPlace.Role.album.rawValue) ORDER BY title
                    """), arguments: [key.value])
        guard titles != row.item.albums else { return }
        var item = row.item
        item.albums = titles
        try replace(row, with: item)
    }

    private func members(of folder: String) throws -> [ItemKey] {
        try Int64.fetchAll(
            database,
            sql: """
                SELECT DISTINCT item FROM place WHERE folder = (SELECT id FROM folder WHERE path = ?)
                    AND role = \(ItemPlace.Role.album.rawValue)
                """, arguments: [folder]
        ).map { ItemKey($0) }
    }

    /// Returns the picture of an account with the same bytes.
    private func twin(of item: LibraryItem) throws -> ItemRow? {
        guard let hash = item.facts.sha256.flatMap(Hexadecimal.data) else { return nil }
        return try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(ItemRow.list) FROM item
                    WHERE bytes = ? AND substr(sha256, 1, 4) = ? AND sha256 = ? AND kind <> \(ItemFacts.Kind.file.rawValue)
                    ORDER BY key LIMIT 1
                    """), arguments: [item.facts.byteCount, hash.prefix(4), hash]
        ).flatMap(ItemRow.init)
    }
}
#endif
