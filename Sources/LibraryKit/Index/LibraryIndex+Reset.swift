// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import GRDB

extension LibraryIndex {
    /// Removes the pictures of all folders that are online, so that the next scans add them again. The pictures of folders
    /// that are offline stay: nothing else has them now.
    ///
    /// - Returns: The folders to scan.
    public func reset() throws(CaptureError) -> [LibraryRoot] {
        let roots = try roots()
        let online = roots.filter { RootMarker.current($0.path, like: $0.marker) == $0.marker }
        try write { writer in
            if online.count == roots.count { try writer.removeAll() } else { try writer.removeAll(below: online) }
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
        for table in ["item", "place", "folder", "day", "facet"] {
            try database.execute(sql: "DELETE FROM \(table)")
        }
        try database.execute(sql: "INSERT INTO words(words) VALUES('delete-all')")
        try database.execute(sql: "UPDATE source SET identity = '', line = 0, removal = 0")
    }

    /// Removes the pictures with files below folders, one by one.
    fileprivate func removeAll(below roots: [LibraryRoot]) throws {
        for root in roots {
            let bounds: StatementArguments = [root.path, root.path + "/", root.path + "0"]
            let identifiers = try String.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT id FROM folder JOIN place ON place.folder = folder.id JOIN item ON item.key = place.item
                    WHERE folder.path = ? OR folder.path >= ? AND folder.path < ?
                    """, arguments: bounds)
            for id in identifiers.compactMap({ ItemID($0) }) { try remove(id) }
            try database.execute(
                sql: "UPDATE source SET identity = '', line = 0, removal = 0 WHERE path = ? OR path >= ? AND path < ?",
                arguments: bounds)
        }
    }
}
#endif
