// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The folders of sessions that were begun. Every call blocks.
public enum SessionArchive {
    /// A session's folder.
    public struct Entry: Sendable {
        /// Where it is.
        public let path: String
        /// What is written down of it.
        public let record: SessionRecord
    }

    /// The sessions whose folders are in this one, from old to new.
    ///
    /// - Parameter report: What is damaged is left out, and told here.
    public static func entries(in folder: String, report: (CaptureError) -> Void = { _ in }) -> [Entry] {
        var entries: [Entry] = []
        eachEntry(in: folder, report: report) { entries.append($0) }
        return entries.sorted(by: isOlder)
    }

    /// Calls `body` with each session whose folder is in this one, in no order.
    private static func eachEntry(
        in folder: String, report: (CaptureError) -> Void = { _ in }, _ body: (Entry) -> Void
    ) {
        DeviceFiles.eachName(in: folder) { name in
            let path = folder == "." ? name : folder + "/" + name
            guard !name.hasPrefix("."), DeviceFiles.exists(path + "/" + SessionRecord.fileName) else { return }
            do throws(CaptureError) {
                body(try entry(at: path))
            } catch {
                report(error)
            }
        }
    }

    private static func isOlder(_ entry: Entry, _ other: Entry) -> Bool {
        (entry.record.begun, entry.path) < (other.record.begun, other.path)
    }

    /// The session of a folder.
    ///
    /// - Throws: ``CaptureError`` `.noInput` where there is none, or `.inputOutput` where its record is damaged.
    public static func entry(at path: String) throws(CaptureError) -> Entry {
        Entry(path: path, record: try SessionRecord(path: path + "/" + SessionRecord.fileName))
    }

    /// The session that was begun last and is neither accepted nor cancelled.
    ///
    /// - Throws: ``CaptureError`` `.noInput` where there is none.
    public static func latestOpen(in folder: String) throws(CaptureError) -> Entry {
        // One record at a time: an archive may have many.
        var latest: Entry?
        eachEntry(in: folder) { entry in
            guard entry.record.standing.ending == nil, latest.map({ isOlder($0, entry) }) ?? true else { return }
            latest = entry
        }
        guard let entry = latest else {
            throw CaptureError(
                .noInput, "no session is half done here", subject: folder, advice: "name the session's folder")
        }
        return entry
    }
}

extension SessionArchive.Entry {
    /// The session as it was when it was begun: the copy in the folder.
    ///
    /// - Throws: ``CaptureError`` where there is no copy, or it is damaged.
    public func definition() throws(CaptureError) -> SessionFile {
        let copy = path + "/" + SessionFolder.definitionName
        let bytes = try RegularFile.read(copy, most: PresetText.mostBytes + 1)
        // Pictures of the tutorial are beside the original.
        return try SessionFile(path: record.definition ?? copy, bytes: bytes)
    }

    /// Removes the session's pictures and its folder; what others put into that stays.
    ///
    /// - Throws: ``CaptureError`` `.usage` where it is over, `.temporary` where somebody runs it, or where files cannot be
    ///   removed.
    public func discard() async throws(CaptureError) {
        // Read once more, as whoever had it until now may have ended it.
        let (folder, record) = try await BlockingWork.run { [path] () throws(CaptureError) in
            (try SessionFolder.open(path), try SessionRecord(path: path + "/" + SessionRecord.fileName))
        }
        if let ending = record.standing.ending { throw .isOver(path, ending) }
        let stages = record.standing.stages.map(\.name)
        try await folder.removeStrays(of: stages, but: [])
        await folder.clear()
        await folder.close()
    }
}
