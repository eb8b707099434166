// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import SessionModel

/// The pictures of sessions, as the records of their runs have them. No picture is opened.
///
/// The fields that people filled in are not in the index: they can be names and addresses.
package struct SessionSource: Sendable, Hashable {
    /// The folder of the runs.
    package let folder: String
    /// The IDs of the cameras by their roles, for each session by its name; empty for those of the records.
    package let cameras: [String: [CameraRole: String]]

    package init(folder: String, cameras: [String: [CameraRole: String]] = [:]) {
        (self.folder, self.cameras) = (folder, cameras)
    }

    /// A transaction has the pictures of so many runs.
    static let batch = 200

    /// Reads the records that are new or changed, and removes the runs that are gone. Blocks.
    ///
    /// - Parameter report: Receives the error of each damaged record; the pictures that the index has of it stay.
    /// - Throws: `CaptureError` if the index cannot be changed, or the task is canceled. The runs before that are in the
    ///   index.
    package func catchUp(
        _ index: LibraryIndex, report: (CaptureError) -> Void = { _ in }
    ) throws(CaptureError) -> LibraryChanges {
        var (changes, known) = (LibraryChanges(), try index.sources(below: folder))
        let names = DeviceFiles.names(in: folder).filter { !$0.hasPrefix(".") }
        var runs: [(path: String, stamp: String)] = []
        for path in names.map({ folder + "/" + $0 }) {
            guard let stamp = Self.stamp(path) else { continue }
            if let identity = known.removeValue(forKey: path), isCurrent(identity, stamp) { continue }
            runs.append((path, stamp))
        }
        for first in stride(from: 0, to: runs.count, by: Self.batch) {
            if Task.isCancelled { throw CaptureError(.temporary, "reading was canceled", subject: folder) }
            let readings = runs[first..<min(first + Self.batch, runs.count)].compactMap {
                read($0.path, $0.stamp, index.board, report)
            }
            changes.add(try put(readings, index))
        }
        // An empty folder may be a disk that is away.
        guard !known.isEmpty, DeviceFiles.names(in: folder).contains(where: { !$0.hasPrefix(".") }) else {
            return changes
        }
        changes.add(try remove(known.keys.filter { DeviceFiles.folder(of: $0) == folder }, index))
        return changes
    }

    /// Reads the record of one run. Blocks.
    package func catchUp(
        run: String, _ index: LibraryIndex, report: (CaptureError) -> Void = { _ in }
    ) throws(CaptureError) -> LibraryChanges {
        guard let stamp = Self.stamp(run) else { return try remove([run], index) }
        guard let reading = read(run, stamp, index.board, report) else { return LibraryChanges() }
        return try put([reading], index)
    }

    /// The content of one record for the index.
    private struct Reading {
        let run: String
        let identity: String
        let record: SessionRecord
        let pictures: [(LibraryItem, [ItemPlace])]
    }

    /// Returns the content of the record of a run; `nil` if the record is damaged.
    ///
    /// - Parameter stamp: The stamp of the record before it is read: a change meanwhile is read the next time.
    private func read(
        _ run: String, _ stamp: String, _ board: BoardName, _ report: (CaptureError) -> Void
    ) -> Reading? {
        do throws(CaptureError) {
            let record = try SessionRecord(path: run + "/" + SessionRecord.fileName)
            let pictures = record.pictures.compactMap { picture($0, record, run, board) }
            return Reading(run: run, identity: identity(stamp), record: record, pictures: pictures)
        } catch {
            report(error)
            return nil
        }
    }

    private func put(_ readings: [Reading], _ index: LibraryIndex) throws(CaptureError) -> LibraryChanges {
        guard !readings.isEmpty else { return LibraryChanges() }
        return try index.write { writer in
            var changes = LibraryChanges()
            for reading in readings { try Self.put(reading, writer, &changes) }
            return changes
        }
    }

    private static func put(_ reading: Reading, _ writer: IndexWriter, _ changes: inout LibraryChanges) throws {
        var cursor = try writer.cursor(of: reading.run, identity: "")
        for (item, places) in reading.pictures
        where try writer.put(item, at: places, source: cursor.number) { changes.addPut(item.id) }
        let kept = Set(reading.pictures.map(\.0.id))
        for id in try writer.removeItems(of: cursor.number, kind: .session, except: kept) { changes.addRemoved(id) }
        cursor.identity = reading.identity
        try writer.move(cursor)
        try writer.put(runOf: reading.record, source: cursor.number)
    }

    private func remove(_ runs: [String], _ index: LibraryIndex) throws(CaptureError) -> LibraryChanges {
        try index.write { writer in
            var changes = LibraryChanges()
            for run in runs { for id in try writer.removeSource(run, kind: .session) { changes.addRemoved(id) } }
            return changes
        }
    }

    private func picture(
        _ still: SessionStill, _ record: SessionRecord, _ run: String, _ board: BoardName
    ) -> (LibraryItem, [ItemPlace])? {
        let file = still.best
        let name = DeviceFiles.name(of: run)
        let id = ItemID(board, .session(run: name, picture: still.number))
        // A person may have renamed the folder to a name that no ID can have.
        guard ItemID(id.description) == id else { return nil }
        let taken = still.taken.flatMap(WallTime.init(iso8601:)) ?? WallTime(iso8601: record.begun)
        var facts = ItemFacts(
            .session, taken: taken ?? WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0), byteCount: file.byteCount,
            fileName: file.name)
        (facts.width, facts.height, facts.sha256) = (file.width, file.height, file.sha256)
        facts.camera = still.role.flatMap { cameras[record.progress.session]?[$0] } ?? still.camera
        facts.duration = still.duration
        (facts.session, facts.stage, facts.sharpness) = (record.progress.session, still.stage, still.sharpness)
        var places = [ItemPlace(folder: run, name: file.name)]
        if still.crop != nil { places.append(ItemPlace(folder: run, name: still.file.name, role: .whole)) }
        // The first picture of a clip is not a separate item.
        let others = still.views.map(\.file.name) + [still.poster?.name].compactMap { $0 }
        places += others.map { ItemPlace(folder: run, name: $0, role: .view) }
        return (LibraryItem(id: id, facts: facts), places)
    }

    /// Returns the identity of what the index gets of a record: its content, and the cameras of its roles.
    private func identity(_ stamp: String) -> String {
        let names = cameras.flatMap { session, roles in roles.map { "\(session):\($0.key.rawValue)=\($0.value)" } }
        return ([stamp] + names.sorted()).joined(separator: " ")
    }

    /// Returns `true` if the index has a record with the cameras of this source. A source that does not know the cameras
    /// leaves those of a service.
    private func isCurrent(_ known: String, _ stamp: String) -> Bool {
        known == identity(stamp) || cameras.isEmpty && known.hasPrefix(stamp + " ")
    }

    /// Returns the identity of a record's content: its inode, size and time of change; `nil` if there is none.
    private static func stamp(_ run: String) -> String? {
        var status = stat()
        guard stat(run + "/" + SessionRecord.fileName, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
#endif
