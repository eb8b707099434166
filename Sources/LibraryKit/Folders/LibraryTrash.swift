// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import StillKit

extension LibraryIndex {
    /// How long a deleted picture stays in the trash, in seconds: 30 days.
    public static let trashSeconds: Int64 = 30 * 86400
    /// The number of pictures in a transaction: a slow disk moves them within a second.
    private static let trashPart = 20

    /// Moves pictures into the trash of their folders, with all their files and sidecars: first the files, then the index. A
    /// crash in between leaves a record that the next scan completes. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture that cannot be deleted.
    ///   - progress: Receives the number of pictures that are done, and of all.
    /// - Returns: The IDs of the pictures that are in the trash now, and were not before.
    /// - Throws: `CaptureError` if the index cannot be read or changed, or the task is canceled, after whole pictures.
    public func delete(
        _ identifiers: [ItemID], report: (CaptureError) -> Void = { _ in },
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> [ItemID] {
        let (roots, moment) = (try roots(), WallTime.now())
        return try change(identifiers, report, progress) { id throws(CaptureError) in
            guard let (item, places) = try item(id) else { throw .unknownItem(id.description) }
            guard item.state != .trash else { return nil }
            guard item.facts.kind != .session else { throw .ofSession(id) }
            let files = try Self.files(places, of: id, in: roots)
            try Self.delete(files, sha256: item.facts.sha256, as: id.description, at: moment)
            return { writer in try writer.set(.trash, of: id, since: moment.seconds) }
        }
    }

    /// Moves pictures from the trash back to their places. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture that cannot be restored, such as one whose place is taken.
    ///   - progress: Receives the number of pictures that are done, and of all.
    /// - Returns: The IDs of the pictures that are back.
    /// - Throws: `CaptureError` if the index cannot be read or changed, or the task is canceled, after whole pictures.
    public func restore(
        _ identifiers: [ItemID], report: (CaptureError) -> Void = { _ in },
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> [ItemID] {
        let roots = try roots()
        return try change(identifiers, report, progress) { id throws(CaptureError) in
            guard let item = try item(id)?.item else { throw .unknownItem(id.description) }
            guard item.state != .present else { return nil }
            let trashes = Self.trashes(of: id, roots)
            guard item.state == .trash, !trashes.isEmpty else { throw .lost(id, roots) }
            for trash in trashes { _ = try trash.restore(id.description) }
            return { writer in try writer.set(.present, of: id) }
        }
    }

    /// Removes pictures of the trash for good. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture that cannot be removed.
    ///   - progress: Receives the number of pictures that are done, and of all.
    /// - Returns: The IDs of the pictures that are removed.
    /// - Throws: `CaptureError` if the index cannot be read or changed, or the task is canceled, after whole pictures.
    public func erase(
        _ identifiers: [ItemID], report: (CaptureError) -> Void = { _ in },
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> [ItemID] {
        let roots = try roots()
        return try change(identifiers, report, progress) { id throws(CaptureError) in
            guard let item = try item(id)?.item, item.state == .trash else { throw .unknownItem(id.description) }
            let trashes = Self.trashes(of: id, roots)
            guard !trashes.isEmpty || !roots.contains(where: \.isAway) else { throw .lost(id, roots) }
            for trash in trashes { try trash.erase(id.description) }
            return { writer in
                try writer.forgetTrashed(id)
                return true
            }
        }
    }

    /// Removes all pictures for good that were deleted before a moment; all of the trash without one. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture that cannot be removed.
    ///   - progress: Receives the number of pictures that are done, and of all.
    /// - Returns: The number of pictures that were removed.
    /// - Throws: The errors of ``erase(_:report:progress:)``.
    public func emptyTrash(
        before moment: WallTime? = nil, report: (CaptureError) -> Void = { _ in },
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> Int {
        try erase(try trashed(before: moment?.seconds ?? .max), report: report, progress: progress).count
    }

    /// Completes the deletions and restorations that a crash has interrupted, in the folders whose disks are there. Blocks.
    ///
    /// - Parameter report: Receives the error of each picture that cannot be moved.
    /// - Throws: `CaptureError` if the index cannot be read or changed.
    package func completeTrash(report: @escaping (CaptureError) -> Void) throws(CaptureError) -> LibraryChanges {
        var changes = LibraryChanges()
        for root in try roots() where !root.isAway { changes.add(try TrashScan(self, root.path, report).run()) }
        return changes
    }

    /// Returns the path of the first file of a picture in the trash; `nil` if it has none here. Blocks.
    package func trashedPath(of id: ItemID) throws(CaptureError) -> String? {
        for trash in Self.trashes(of: id, try roots()) {
            if let entry = trash.entry(id.description) { return trash.path(of: 0, in: entry) }
        }
        return nil
    }

    // MARK: - Parts

    /// Changes the files of each picture, and then the index, in one transaction for many pictures.
    ///
    /// - Parameter body: Changes the files, and returns the change of the index; `nil` if there is nothing to change.
    private func change(
        _ identifiers: [ItemID], _ report: (CaptureError) -> Void, _ progress: (Int, Int) -> Void,
        _ body: (ItemID) throws(CaptureError) -> ((IndexWriter) throws -> Bool)?
    ) throws(CaptureError) -> [ItemID] {
        try inParts(identifiers, of: Self.trashPart, progress) { part throws(CaptureError) in
            let changes = try changeFiles(of: part, report, body)
            return try write { writer in try changes.filter { try $0.change(writer) }.map(\.id) }
        }
    }

    /// Moves the files of a picture into the trashes of their folders, or leaves all at their places.
    private static func delete(
        _ files: [FolderFiles], sha256: String?, as name: String, at moment: WallTime
    ) throws(CaptureError) {
        for (number, part) in files.enumerated() {
            let elsewhere = files.filter { $0.root != part.root }.flatMap(\.absolute)
            do throws(CaptureError) {
                try TrashFolder(part.root).delete(
                    part.paths, besides: elsewhere, sha256: sha256, as: name, at: moment)
            } catch {
                // The next scan moves files back that cannot return now.
                for earlier in files.prefix(number) { _ = try? TrashFolder(earlier.root).restore(name) }
                throw error
            }
        }
    }

    /// The files of a picture in one folder of the library.
    private struct FolderFiles {
        let root: String
        /// Relative to the folder.
        let paths: [String]

        var absolute: [String] { paths.map { root + "/" + $0 } }
    }

    /// Returns the files of a picture by the folder of the library in which they are.
    ///
    /// - Throws: `CaptureError` if a disk is away: the picture would stay on it.
    private static func files(
        _ places: [ItemPlace], of id: ItemID, in roots: [LibraryRoot]
    ) throws(CaptureError) -> [FolderFiles] {
        var files: [String: [String]] = [:]
        for place in places {
            // The innermost folder: its disk can be another one.
            let around = roots.filter { FolderRange($0.path, among: []).contains(place.folder) }
            guard let root = around.max(by: { $0.path.utf8.count < $1.path.utf8.count }) else { continue }
            guard !root.isAway else { throw .away(root.path, id) }
            guard DeviceFiles.exists(place.path) else { continue }
            files[root.path, default: []].append(
                String(place.path.dropFirst(root.path == "/" ? 1 : root.path.count + 1)))
        }
        guard !files.isEmpty else {
            throw CaptureError(.noInput, "has no file here", subject: "\(id)", advice: "scan its folder")
        }
        return files.sorted { $0.key < $1.key }.map { FolderFiles(root: $0.key, paths: $0.value) }
    }

    /// Returns the trashes that have a picture.
    private static func trashes(of id: ItemID, _ roots: [LibraryRoot]) -> [TrashFolder] {
        roots.map { TrashFolder($0.path) }.filter { $0.entry(id.description) != nil }
    }
}

extension LibraryRoot {
    /// `true` if the disk of the folder is not there.
    var isAway: Bool { RootMarker.current(path, like: marker) != marker }
}

extension CaptureError {
    fileprivate static func ofSession(_ id: ItemID) -> CaptureError {
        CaptureError(
            .usage, "belongs to a session, whose pictures stay together", subject: "\(id)",
            advice: "remove the run of the session")
    }

    fileprivate static func away(_ root: String, _ id: ItemID) -> CaptureError {
        CaptureError(.noInput, "has a file on a disk that is away", subject: "\(id)", advice: "connect \(root)")
    }

    fileprivate static func lost(_ id: ItemID, _ roots: [LibraryRoot]) -> CaptureError {
        let away = roots.filter(\.isAway).map(\.path)
        return away.isEmpty
            ? CaptureError(
                .noInput, "is not in the trash any more: it was emptied to make room", subject: "\(id)",
                advice: "gst-capture library scan removes it from the list")
            : CaptureError(
                .noInput, "has its file on a disk that is away", subject: "\(id)",
                advice: "connect \(away.joined(separator: " or "))")
    }
}
#endif
