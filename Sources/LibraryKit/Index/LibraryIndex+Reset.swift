// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB

extension LibraryIndex {
    /// Removes the pictures of all folders that are online, so that the next scans add them again. The pictures of folders
    /// that are offline stay: nothing else has them now.
    ///
    /// - Returns: The folders to scan.
    public func reset() throws(CaptureError) -> [LibraryRoot] {
        let roots = try roots()
        let online = roots.filter { !$0.isAway }
        try write { writer in
            if online.count == roots.count {
                try writer.removeAll()
            } else {
                for root in online { try writer.removeAll(in: FolderRange(root.path, among: roots)) }
            }
            // A crash before the scans must not leave an index that looks complete.
            for var root in online {
                root.state = .stale
                try writer.setRoot(root)
            }
        }
        return online
    }
}

extension IndexWriter {
    /// Removes all pictures at once. The names of series stay.
    fileprivate func removeAll() throws {
        for table in ["item", "place", "folder", "day", "facet", "album"] {
            try database.execute(sql: "DELETE FROM \(table)")
        }
        for table in ["words", "facet_words"] {
            try database.execute(sql: "INSERT INTO \(table)(\(table)) VALUES('delete-all')")
        }
        try database.execute(sql: "UPDATE source SET identity = '', line = 0, removal = 0")
    }

    /// Removes the files of a range, with the pictures that have no other one, one by one.
    func removeAll(in range: FolderRange) throws {
        let folders = try String.fetchAll(
            database, sql: "SELECT path FROM folder WHERE path = ? OR path >= ? AND path < ?", arguments: range.bounds)
        for folder in folders where range.contains(folder) {
            for place in try ItemPlace.fetchAll(database, in: folder) { try removeFile(at: place) }
            try forgetAlbum(in: folder)
        }
        let sources = try String.fetchAll(
            database, sql: "SELECT path FROM source WHERE path = ? OR path >= ? AND path < ?", arguments: range.bounds)
        for source in sources where range.contains(source) {
            try database.execute(
                sql: "UPDATE source SET identity = '', line = 0, removal = 0 WHERE path = ?", arguments: [source])
        }
    }

    /// Removes a file, and its picture if no other file shows it.
    private func removeFile(at place: ItemPlace) throws {
        guard let row = try row(at: place) else { return }
        let hasOther = try ItemPlace.fetchAll(database, of: row.key).contains {
            $0.role.isPicture && $0.path != place.path
        }
        guard hasOther || !place.role.isPicture else {
            try remove(row.item.id)
            return
        }
        try removePlace(place)
        if place.role == .album { try refreshAlbums(of: row.key) }
    }
}
#endif
