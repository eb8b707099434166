// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import Glibc
import PresetKit

/// Finds, checks and removes the folders of sessions. Every call blocks, except for ``Entry/discard()``.
public enum SessionArchive {
    /// A session's folder.
    public struct Entry: Sendable {
        /// The path of the folder.
        public let path: String
        /// The record in the folder.
        public let record: SessionRecord
    }

    /// Returns the sessions whose folders are in this one, from old to new by the time at which they began.
    ///
    /// - Parameter report: Receives the error of each damaged session, which is left out.
    public static func entries(in folder: String, report: (CaptureError) -> Void = { _ in }) -> [Entry] {
        var entries: [Entry] = []
        eachEntry(in: folder, report: report) { entries.append($0) }
        return entries.map(Dated.init).sorted(by: <).map(\.entry)
    }

    /// Calls `body` with each session whose folder is in this one, in no order. Hidden folders are left out.
    package static func eachEntry(
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

    /// An entry with the time at which its session began. The text would sort by local time, which differs between
    /// zones and goes back in autumn.
    private struct Dated {
        let entry: Entry
        private let begun: Int64

        init(_ entry: Entry) {
            self.entry = entry
            begun = WallTime(iso8601: entry.record.begun)?.millisecondsSince1970 ?? 0
        }

        static func < (left: Dated, right: Dated) -> Bool {
            (left.begun, left.entry.path) < (right.begun, right.entry.path)
        }

        static func > (left: Dated, right: Dated) -> Bool { right < left }
    }

    /// Returns the session of a folder.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none, `.permission` if its record may not be read, or
    ///   `.inputOutput` if the record is damaged.
    public static func entry(at path: String) throws(CaptureError) -> Entry {
        Entry(path: path, record: try SessionRecord(path: path + "/" + SessionRecord.fileName))
    }

    /// Returns the place of the outline when a session captured this picture, from the `session.json` beside it.
    ///
    /// - Returns: `nil` if the file is not a whole picture of a session, has another size now, or was captured without
    ///   an outline; also if the record cannot be read.
    /// - Throws: ``CaptureError`` `.inputOutput` if the session's record is damaged.
    package static func outline(of picture: LibraryPicture) throws(CaptureError) -> SessionOutline? {
        guard let path = picture.path else { return nil }
        let folder = StillFolder.path(of: path)
        let file = (folder.hasSuffix("/") ? folder : folder + "/") + SessionRecord.fileName
        guard let bytes = try? RegularFile.read(file, most: SessionRecord.mostBytes + 1) else { return nil }
        // Other programs use this file name too.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.count <= SessionRecord.mostBytes, text.contains("\"\(SessionRecord.format)\"") else {
            return nil
        }
        let name = path.split(separator: "/").last.map(String.init)
        let stills = try SessionRecord(bytes: bytes, path: file).stills.values
        let still = stills.first { $0.file.name == name }
        guard let still, (still.file.width, still.file.height) == (picture.width, picture.height) else { return nil }
        return still.outline
    }

    /// Returns the session that began last, among those that are neither accepted nor canceled, and that no process
    /// runs.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each damaged session, which is skipped: it may have begun later.
    ///   - pass: Receives each running session that began later, which is skipped.
    /// - Throws: `CaptureError` `.noInput` if there is none, or `.temporary` if all of them are running.
    public static func latestOpen(
        in folder: String, report: (CaptureError) -> Void = { _ in }, passing pass: (Entry) -> Void = { _ in }
    ) throws(CaptureError) -> Entry {
        // The loop keeps the record of only one idle session, because an archive may have many.
        var latest: Dated?
        var running: [Dated] = []
        eachEntry(in: folder, report: report) { entry in
            let dated = Dated(entry)
            guard entry.record.progress.ending == nil, latest.map({ $0 < dated }) ?? true else { return }
            if entry.isRunning { running.append(dated) } else { latest = dated }
        }
        let later = running.filter { dated in latest.map { $0 < dated } ?? true }.sorted(by: >).map(\.entry)
        for entry in later { pass(entry) }
        if let latest { return latest.entry }
        if let newest = later.first { throw .isRunning(newest.path) }
        throw CaptureError(
            .noInput, "contains no unfinished session", subject: folder, advice: "name the session's folder")
    }
}

extension SessionArchive {
    /// Checks that a folder exists.
    ///
    /// - Throws: `CaptureError` `.noInput` if the path does not exist, or is not a folder.
    public static func checkFolder(_ path: String) throws(CaptureError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .noFolder(path) }
    }
}

extension SessionArchive.Entry {
    /// Checks that no process runs the session. It blocks.
    ///
    /// - Throws: `CaptureError` `.temporary` if a process runs it.
    public func checkIdle() throws(CaptureError) { if isRunning { throw .isRunning(path) } }

    /// `true` while a process runs the session; always `false` on a file system without locks. It blocks.
    public var isRunning: Bool { SessionFolder.isLocked(path) }
}

extension SessionArchive.Entry {
    /// Returns the session as it was when it began, from the copy in the folder. It blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no copy, as in the folder of a session that a program created;
    ///   `.configuration` if the copy is damaged.
    public func definition() throws(CaptureError) -> SessionFile {
        let copy = path + "/" + SessionFolder.definitionName
        let bytes = try RegularFile.read(copy, most: SettingsText.mostBytes + 1)
        // Relative paths of outlines and pictures start from the folder of the original file.
        return try SessionFile(path: record.definition ?? copy, bytes: bytes)
    }

    /// The parts of the file names of a session. A killed session can have stored a view that its record does not list.
    private func stages(of record: SessionRecord) async -> SessionFileName.Stages {
        let listed = Set(record.stills.values.flatMap(\.views).map(\.role))
        let defined = await BlockingWork.run { (try? definition())?.session.stages.flatMap(\.besides) ?? [] }
        return SessionFileName.Stages(names: record.progress.stages.map(\.name), roles: listed.union(defined))
    }

    /// Removes the pictures and the folder of a session that is not over. If the folder has other files, they and the
    /// folder stay.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such folder, `.usage` if the session has ended, `.temporary`
    ///   if a process runs it, or an error if pictures, the record or the folder cannot be removed.
    public func discard() async throws(CaptureError) {
        _ = try await remove { record throws(CaptureError) in
            if let ending = record.progress.ending { throw .isOver(path, ending) }
            return true
        }
    }

    /// Removes the pictures and the folder of a session whose ``SessionRecord/removal`` has come. If the folder has
    /// other files, they and the folder stay.
    ///
    /// - Returns: `false` if the time has not come, or the clock is not known to be set: nothing is removed then. The
    ///   session may have been accepted meanwhile, or keep its pictures.
    /// - Throws: `CaptureError` `.temporary` if a process runs it, or an error if pictures, the record or the folder
    ///   cannot be removed.
    @discardableResult
    public func expire() async throws(CaptureError) -> Bool { try await expire(by: .current()) }

    /// Removes the session as ``expire()`` does, by another clock.
    package func expire(by clock: AgeClock) async throws(CaptureError) -> Bool {
        try await remove { record throws(CaptureError) in record.isOverdue(by: clock) }
    }

    /// - Parameter mayRemove: Returns `false`, or throws, if the record forbids the removal.
    /// - Returns: `true` if the session was removed.
    private func remove(
        _ mayRemove: @escaping @Sendable (SessionRecord) throws(CaptureError) -> Bool
    ) async throws(CaptureError) -> Bool {
        // The record is read again: the process that ran the session may have ended it.
        let (folder, record) = try await BlockingWork.run { [path] () throws(CaptureError) in
            (try SessionFolder.open(path), try SessionRecord(path: path + "/" + SessionRecord.fileName))
        }
        do throws(CaptureError) {
            let isRemoved = try mayRemove(record)
            if isRemoved {
                try await folder.remove(record.results.map(\.name))
                try await folder.removeStrays(of: stages(of: record), but: [])
                try await folder.clear()
            }
            await folder.close()
            return isRemoved
        } catch {
            await folder.close()
            throw error
        }
    }
}
