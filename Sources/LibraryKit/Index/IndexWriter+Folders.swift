// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB
import LedgerKit

/// A file of a picture as the index knows it.
struct KnownFile: Hashable {
    let item: ItemKey
    let role: ItemPlace.Role
    /// When the file was last changed, in nanoseconds since 1970; 0 if no scan has seen it.
    let stamp: Int64
    /// The same of its sidecar; 0 if it has none.
    let sidecar: Int64
    /// The size of the shown file of the item, in bytes.
    let byteCount: Int
    /// `true` if the item is missing, or in the trash.
    let isHidden: Bool

    /// Reads a row of name, item, role, stamp, sidecar, size and state.
    fileprivate static func entry(_ row: Row) -> (name: [UInt8], file: KnownFile)? {
        guard let name: String = row.value(0), let item: Int64 = row.value(1), let stamp: Int64 = row.value(3),
            let sidecar: Int64 = row.value(4), let byteCount: Int = row.value(5)
        else { return nil }
        let role = row.value(2).flatMap(ItemPlace.Role.init) ?? .shown
        let isHidden = row.value(6) != LibraryItem.State.present.rawValue
        let file = KnownFile(
            item: ItemKey(item), role: role, stamp: stamp, sidecar: sidecar, byteCount: byteCount, isHidden: isHidden)
        return (Array(name.utf8), file)
    }
}

extension IndexWriter {
    /// Adds a file without an account: a new item, or another place of the item with the same content.
    ///
    /// - Returns: `false` if the index has this file of this item.
    @discardableResult
    func put(_ item: LibraryItem, file place: ItemPlace, stamp: Int64) throws -> Bool {
        if try add(item, at: [place], stamp: stamp) { return true }
        guard let row = try find(item.id) else { return false }
        let isMissing = row.item.state != .present
        // The same picture came again after its deletion, such as from a card.
        if row.item.state == .trash { try set(.present, of: item.id) }
        let known = try ItemPlace.fetchAll(database, of: row.key).filter { $0.path != place.path }
        var merged = item
        if !isMissing, known.contains(where: { $0.role == .shown }) {
            merged.facts = item.facts.merged(with: row.item.facts)
        }
        merged.facts.sha256 = item.facts.sha256 ?? row.item.facts.sha256
        let others = isMissing ? known.filter { $0.role != .shown } : known
        let isChanged = try update(merged, at: [place] + others)
        try setStamp(stamp, of: place)
        return isChanged
    }

    /// Notes when a file was last changed.
    func setStamp(_ stamp: Int64, of place: ItemPlace) throws {
        try database.cachedStatement(
            sql: "UPDATE place SET stamp = ? WHERE folder = (SELECT id FROM folder WHERE path = ?) AND name = ?"
        ).execute(arguments: [stamp, place.folder, place.name])
    }

    /// Notes when the sidecar of a file was last changed; 0 if it has none.
    func setSidecar(_ stamp: Int64, of place: ItemPlace) throws {
        try database.cachedStatement(
            sql: "UPDATE place SET sidecar = ? WHERE folder = (SELECT id FROM folder WHERE path = ?) AND name = ?"
        ).execute(arguments: [stamp, place.folder, place.name])
    }

    /// Notes that a file of a hidden item is there again.
    ///
    /// - Returns: The ID of the item, if it is present now.
    func revive(_ place: ItemPlace) throws -> ItemID? {
        // A person may have deleted the picture after the scan saw the file.
        guard let id = try row(at: place)?.item.id, DeviceFiles.exists(place.path) else { return nil }
        return try set(.present, of: id) ? id : nil
    }

    /// Notes that a file is gone. An item without another file to show stays with its place, as missing: the disk may
    /// come back, or a person may have moved the file.
    ///
    /// - Returns: The ID of the item, if it is missing now.
    func miss(_ place: ItemPlace) throws -> ItemID? {
        // A person may have deleted the picture during the scan.
        guard let row = try row(at: place), row.item.state != .trash else { return nil }
        let others = try ItemPlace.fetchAll(database, of: row.key).filter { $0.path != place.path }
        guard others.contains(where: \.role.isPicture) || !place.role.isPicture else {
            return try set(.missing, of: row) ? row.item.id : nil
        }
        try removePlace(place)
        if place.role == .album { try refreshAlbums(of: row.key) }
        // The facts can be those of the copy that is gone.
        let copies = others.pictures.compactMap { try? PictureScan($0.path).facts }
        if row.item.facts.kind == .file, let first = copies.first {
            var facts = copies.dropFirst().reduce(first) { $0.merged(with: $1) }
            facts.sha256 = row.item.facts.sha256
            try put(LibraryItem(id: row.item.id, facts: facts), at: others)
        }
        return nil
    }

    /// Forgets a file.
    func removePlace(_ place: ItemPlace) throws {
        try database.cachedStatement(
            sql: "DELETE FROM place WHERE folder = (SELECT id FROM folder WHERE path = ?) AND name = ?"
        ).execute(arguments: [place.folder, place.name])
    }

    /// `true` if an item is missing.
    func hasMissing() throws -> Bool {
        try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT 1 FROM item INDEXED BY item_hidden
                    WHERE state <> 0 AND state = \(LibraryItem.State.missing.rawValue) LIMIT 1
                    """)) != nil
    }

    /// `true` if the index has a file.
    func hasFile(at place: ItemPlace) throws -> Bool {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM place WHERE folder = ? AND name = ?"),
            arguments: [folders.number(of: place.folder), place.name]) != nil
    }

    /// Returns the missing items of a size with a hash, which a file at another place may be.
    func missing(byteCount: Int) throws -> [LibraryItem] {
        try Row.fetchAll(
            database.cachedStatement(
                // Without the name of the index, SQLite reads all items of this size.
                sql: """
                    SELECT \(ItemRow.list) FROM item INDEXED BY item_hidden
                    WHERE state <> 0 AND state = \(LibraryItem.State.missing.rawValue) AND bytes = ?
                        AND sha256 IS NOT NULL
                    """), arguments: [byteCount]
        ).compactMap(ItemRow.init).map(\.item)
    }

    /// Removes the items that are missing for a long time.
    ///
    /// - Parameter limit: The moment since which they are missing, in seconds since 1970.
    func removeMissing(since limit: Int64) throws -> [ItemID] {
        let identifiers = try String.fetchAll(
            database,
            // The first condition lets SQLite read the hidden items alone.
            sql: """
                SELECT id FROM item
                WHERE state <> 0 AND state = \(LibraryItem.State.missing.rawValue) AND hidden_s < ?
                """,
            arguments: [limit]
        ).compactMap { ItemID($0) }
        for id in identifiers { try remove(id) }
        return identifiers
    }

    /// Returns the item of a file.
    func row(at place: ItemPlace) throws -> ItemRow? { try ItemRow.fetch(at: place, in: database) }

    /// Notes the marker and the state of a folder; ``LibraryIndex/setRoot(_:)`` also for a new one.
    func setRoot(_ root: LibraryRoot) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO root(path, marker, state) VALUES(?, ?, ?)",
            arguments: [root.path, root.marker, root.state.rawValue])
    }

    /// Removes a folder from the library.
    func removeRoot(_ path: String) throws {
        try database.execute(sql: "DELETE FROM root WHERE path = ?", arguments: [path])
    }
}

extension ItemFacts {
    /// Returns the facts of one of two copies. Without a moment in their tags, copies have different ones, and which is
    /// chosen must not depend on the order of a scan.
    fileprivate func merged(with other: ItemFacts) -> ItemFacts {
        (taken.nanosecondsSince1970, fileName) < (other.taken.nanosecondsSince1970, other.fileName) ? self : other
    }
}

/// A folder with everything below it, which a library indexes.
public struct LibraryRoot: Sendable, Hashable {
    /// The state in which the last scan left a folder.
    public enum State: String, Sendable, Hashable {
        /// All files are in the index.
        case online
        /// The folder is gone, or has another marker: its disk is away.
        case offline
        /// Many pictures vanished at once, and stay in the index until a person accepts that.
        case shrunk
        /// The index was emptied, and the folder not scanned since.
        case stale
    }

    /// The absolute path of the folder.
    public let path: String
    /// The identifier in its marker.
    public let marker: String
    /// The state of the folder.
    public var state: State
}

extension LibraryRoot {
    static func fetchAll(_ database: Database) throws -> [LibraryRoot] {
        try Row.fetchAll(database, sql: "SELECT path, marker, state FROM root ORDER BY path").compactMap { row in
            guard let path: String = row.value(0), let marker: String = row.value(1) else { return nil }
            return LibraryRoot(path: path, marker: marker, state: row.value(2).flatMap(State.init) ?? .stale)
        }
    }
}

/// A folder with everything below it, without the other folders of the library that are inside.
struct FolderRange: Sendable {
    /// The absolute path of the folder.
    let path: String
    /// The absolute paths of the folders that do not belong to it.
    let inner: [String]

    init(_ path: String, among roots: [LibraryRoot]) {
        (self.path, inner) = (path, roots.map(\.path).filter { Self.isBelow($0, path) })
    }

    /// `true` if a path is the folder, or is below it and not in an inner one.
    func contains(_ other: String) -> Bool {
        (other == path || Self.isBelow(other, path)) && !inner.contains { other == $0 || Self.isBelow(other, $0) }
    }

    private static func isBelow(_ path: String, _ folder: String) -> Bool {
        path != folder && path.hasPrefix(folder == "/" ? folder : folder + "/")
    }
}

extension LibraryIndex {
    /// Returns the folders that were scanned, in the order of their paths.
    public func roots() throws(CaptureError) -> [LibraryRoot] {
        try read { try LibraryRoot.fetchAll($0) }
    }

    /// Makes an existing folder a part of the library. Blocks.
    ///
    /// - Returns: The folder: stale until it is scanned, offline if its disk is away.
    /// - Throws: `CaptureError` `.noInput` if the folder is new, and does not exist.
    package func addFolder(_ path: String) throws(CaptureError) -> LibraryRoot { try FolderScan.begin(self, path) }

    /// Returns the folders to scan: those that are named with the folders of the library inside them; all of the library if
    /// none is named.
    public func folders(toScan named: [String]) throws(CaptureError) -> [String] {
        let roots = try roots()
        guard !named.isEmpty else { return roots.map(\.path) }
        var folders: [String] = []
        for folder in named.flatMap({ [$0] + FolderRange($0, among: roots).inner }) where !folders.contains(folder) {
            folders.append(folder)
        }
        return folders
    }

    /// Returns the files of a folder that the index has, without those below it, by the bytes of their names: two names can
    /// be equal as texts, in two forms of Unicode.
    func files(in folder: String) throws(CaptureError) -> [[UInt8]: KnownFile] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT place.name, item, role, stamp, sidecar, bytes, state FROM place JOIN item ON item.key = place.item
                    WHERE folder = (SELECT id FROM folder WHERE path = ?)
                    """, arguments: [folder])
            return Dictionary(rows.compactMap(KnownFile.entry)) { $1 }
        }
    }

    /// Returns the folders of a range that have files in the index.
    func folders(in range: FolderRange) throws(CaptureError) -> [String] {
        try read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT path FROM folder WHERE (path = ? OR path >= ? AND path < ?)
                    AND EXISTS(SELECT 1 FROM place WHERE place.folder = folder.id) ORDER BY path
                    """, arguments: range.bounds
            ).filter(range.contains)
        }
    }
}

extension FolderRange {
    /// The path, and the bounds of the paths below it: `0` is the character after the slash.
    var bounds: StatementArguments {
        let start = path == "/" ? "" : path
        return [path, start + "/", start + "0"]
    }
}
#endif
