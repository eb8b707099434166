// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The trash of a folder of pictures. `.gst-capture/trash/NAME` has the files of one deleted picture, and a record with the
/// paths to which they return.
///
/// The name of the record is the state of the entry. A deletion writes its record before the first file moves, and a
/// restoration or a removal claims the entry by renaming the record, so that ``complete(_:)`` ends an interrupted change,
/// and two programs never work on one entry. No file is replaced. Every call blocks.
///
/// ``ErasedPictures`` has each picture that was erased: targets to which it was sent erase it, too. The record of an entry
/// stays until the picture is there.
///
/// A picture with files in several folders has an entry in each. A crash can end its deletion, or its restoration, in
/// between: ``complete(_:)`` moves them back then.
package struct TrashFolder: Sendable {
    /// A deleted picture.
    package struct Entry: Sendable, Hashable {
        /// The name of its folder in the trash.
        package let name: String
        /// When the picture was deleted.
        package let deleted: WallTime
        /// The paths of its files, relative to the folder of pictures. A copy of a picture is one more path.
        package let paths: [String]
        /// The absolute paths of its files in other folders, which have other trashes.
        package var elsewhere: [String] = []
        /// The hash of the picture: 64 hexadecimal digits; `nil` if it is not known.
        package var sha256: String?
    }

    /// The change of an entry. The word is the name of its record after a dot.
    private enum Step: String, CaseIterable {
        case deleting, deleted, restoring, erasing
        /// The entry goes, and the picture does not: there is another copy, or a person has moved the files.
        case dropping
    }

    /// The folder of pictures.
    package let folder: String
    private let trash: String

    private static let mostBytes = 1 << 16

    package init(_ folder: String) { (self.folder, trash) = (folder, folder + "/.gst-capture/trash") }

    /// Returns an entry; `nil` if there is none, or it is not complete.
    package func entry(_ name: String) -> Entry? { entry(name, .deleted) }

    /// Returns all complete entries, in the order of their names.
    package func entries() -> [Entry] { names().sorted().compactMap(entry) }

    /// Returns the names of all entries, also of those that are not complete.
    package func names() -> [String] { DeviceFiles.names(in: trash) }

    /// Returns the path at which a file of an entry is now.
    ///
    /// - Parameter index: The position in ``Entry/paths``.
    package func path(of index: Int, in entry: Entry) -> String {
        home(index, entry.name) + "/" + DeviceFiles.name(of: entry.paths[index])
    }

    // MARK: - Changes

    /// Moves the files of a picture into the trash, with their side files and sidecars.
    ///
    /// - Parameters:
    ///   - paths: The paths of the files, relative to the folder.
    ///   - elsewhere: The absolute paths of its files in other folders.
    ///   - sha256: The hash of the picture, if it is known.
    ///   - name: The name of the entry, without slashes.
    /// - Throws: `CaptureError` if another picture has this name in the trash, or a file cannot be moved. If some files were
    ///   moved, ``complete(_:)`` moves the others.
    package func delete(
        _ paths: [String], besides elsewhere: [String] = [], sha256: String? = nil, as name: String,
        at moment: WallTime
    ) throws(CaptureError) {
        let entry = Entry(name: name, deleted: moment, paths: paths, elsewhere: elsewhere, sha256: sha256)
        guard entry.record.count <= Self.mostBytes, Entry(name, entry.record) != nil else {
            throw CaptureError(.usage, "has too many files to be deleted at once", subject: name, advice: "remove some")
        }
        if let old = self.entry(name) { try makeWay(for: entry, old) }
        do throws(CaptureError) {
            try StillFolder.make(home(0, name))
            try StillStore(overwrites: true, latest: nil).write(entry.record, to: record(.deleting, name))
            try moveIn(entry)
        } catch {
            // Nothing was moved.
            if paths.allSatisfy({ DeviceFiles.exists(folder + "/" + $0) }) { discard(name) }
            throw error
        }
    }

    /// Erases an entry for the same picture, which was copied again after its deletion.
    private func makeWay(for entry: Entry, _ old: Entry) throws(CaptureError) {
        let new = entry.paths.first.flatMap { try? FileDigest(folder + "/" + $0, most: .max - 1) }
        guard let new, let known = try? FileDigest(path(of: 0, in: old), most: .max - 1), new.sha256 == known.sha256
        else {
            throw CaptureError(
                .usage, "another picture of this name is in the trash", subject: entry.name,
                advice: "erase that one first")
        }
        try drop(entry.name)
    }

    /// Removes the record and the folders of an entry without files.
    private func discard(_ name: String) {
        unlink(record(.deleting, name))
        for inner in DeviceFiles.names(in: home(0, name)) { rmdir(home(0, name) + "/" + inner) }
        rmdir(home(0, name))
    }

    /// Moves the files of an entry back to their paths.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such entry, `.usage` if a path is taken, and the errors of files.
    package func restore(_ name: String) throws(CaptureError) -> Entry {
        guard let entry = entry(name) else { throw .notInTrash(name) }
        for move in moves(of: entry) where DeviceFiles.exists(move.inside) && DeviceFiles.exists(move.outside) {
            throw CaptureError(
                .usage, "has the place of the picture", subject: move.outside,
                advice: "move it away, and restore \(name) again")
        }
        try claim(name, .restoring)
        try moveOut(entry)
        return entry
    }

    /// Removes an entry with its files for good.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such entry, and the errors of files.
    package func erase(_ name: String) throws(CaptureError) {
        try claim(name, .erasing)
        try removeFiles(name)
        try endErasing([name])
    }

    /// Adds erased pictures to the account of the folder, and removes their records.
    private func endErasing(_ names: [String]) throws(CaptureError) {
        try ErasedPictures(folder).append(names.compactMap { entry($0, .erasing) })
        for name in names { try removeRecord(name) }
    }

    /// Removes an entry whose picture is elsewhere.
    ///
    /// - Throws: As ``erase(_:)``.
    package func drop(_ name: String) throws(CaptureError) {
        try claim(name, .dropping)
        try remove(name)
    }

    /// Gives a complete entry another name.
    ///
    /// - Throws: `CaptureError` if the name is taken.
    package func rename(_ name: String, to other: String) throws(CaptureError) {
        let failure = TemporaryFile.renameToFreeName(home(0, name), home(0, other))
        guard failure == 0 else { throw .file(failure, home(0, failure == EEXIST ? other : name), "cannot be renamed") }
    }

    /// Ends a change of an entry that was interrupted. No other program may delete or restore the picture meanwhile.
    ///
    /// - Throws: The errors of files. The entry stays as it is for the next call.
    package func complete(_ name: String) throws(CaptureError) {
        if let entry = entry(name, .deleting) {
            if isHalf(entry) { try moveOut(entry) } else { try moveIn(entry) }
        } else if let entry = entry(name, .restoring) {
            try moveOut(entry)
        } else if isThere(.erasing, name) {
            try removeFiles(name)
            try endErasing([name])
        } else if isThere(.dropping, name) {
            try remove(name)
        } else if let entry = entry(name) {
            try completeByHand(entry)
        }
    }

    /// Completes an entry of which a person, or a crash in another folder, has moved the files.
    private func completeByHand(_ entry: Entry) throws(CaptureError) {
        if isHalf(entry) {
            _ = try restore(entry.name)
        } else if !entry.paths.indices.contains(where: { exists($0, in: entry) }) {
            let isBack = entry.paths.contains { DeviceFiles.exists(folder + "/" + $0) }
            if isBack { _ = try restore(entry.name) } else { try drop(entry.name) }
        }
    }

    /// Returns `true` if a file in another folder is at its place, and not in the trash there: a deletion ended before
    /// that folder, or a restoration after it.
    private func isHalf(_ entry: Entry) -> Bool {
        entry.elsewhere.contains { path in
            DeviceFiles.exists(path)
                && !Self.around(StillFolder.path(of: path)).contains { trash in
                    trash.isThere(.deleting, entry.name) || trash.isThere(.deleted, entry.name)
                }
        }
    }

    /// Returns the trashes in which pictures of a folder can be: its own, and those of the folders around it.
    package static func around(_ folder: String) -> [TrashFolder] {
        var (folders, folder) = ([TrashFolder](), folder)
        while folder.hasPrefix("/"), folder != "/" {
            let trash = TrashFolder(folder)
            if DeviceFiles.exists(trash.trash) { folders.append(trash) }
            folder = StillFolder.path(of: folder)
        }
        return folders
    }

    private func exists(_ index: Int, in entry: Entry) -> Bool { DeviceFiles.exists(path(of: index, in: entry)) }

    /// Erases deleted pictures in the trashes around a folder, the oldest first, until its disk has enough space.
    ///
    /// - Returns: The number of pictures that were erased.
    @discardableResult
    package static func makeRoom(around folder: String, until isEnough: (DiskSpace) -> Bool) -> Int {
        guard let space = DiskSpace(at: folder), !isEnough(space) else { return 0 }
        return around(DeviceFiles.canonical(folder) ?? folder).reduce(0) { count, trash in
            count + trash.eraseOldest { DiskSpace(at: folder).map(isEnough) ?? true }
        }
    }

    /// Erases the oldest entries until `isEnough` is `true`, 1,000 at most: a capture waits for it.
    ///
    /// - Returns: The number of entries that were erased.
    package func eraseOldest(until isEnough: () -> Bool) -> Int {
        var entries: [(name: String, stamp: timespec)] = []
        for name in names() {
            var status = stat()
            if lstat(record(.deleted, name), &status) == 0 { entries.append((name, status.st_mtim)) }
        }
        entries.sort { ($0.stamp.tv_sec, $0.stamp.tv_nsec) < ($1.stamp.tv_sec, $1.stamp.tv_nsec) }
        var erased: [String] = []
        for entry in entries.prefix(1000) {
            guard !isEnough() else { break }
            guard (try? claim(entry.name, .erasing)) != nil else { continue }
            guard (try? removeFiles(entry.name)) != nil else { continue }
            erased.append(entry.name)
        }
        // Once for all pictures. After an error, complete(_:) adds them.
        try? endErasing(erased)
        return erased.count
    }

    // MARK: - Files

    /// A file inside the trash, and outside of it.
    private struct Move {
        let inside: String, outside: String
    }

    /// Returns the moves of all files that an entry can have.
    private func moves(of entry: Entry) -> [Move] {
        entry.paths.indices.flatMap { index in
            let (inside, outside) = (path(of: index, in: entry), folder + "/" + entry.paths[index])
            var moves = [
                Move(inside: inside, outside: outside),
                Move(inside: StillName.sidecarPath(of: inside), outside: StillName.sidecarPath(of: outside)),
            ]
            if StillFormat(fileName: inside) == .raw {
                moves.append(Move(inside: StillName.sidePath(of: inside), outside: StillName.sidePath(of: outside)))
            }
            return moves
        }
    }

    private func moveIn(_ entry: Entry) throws(CaptureError) {
        for index in entry.paths.indices.dropFirst() { try StillFolder.make(home(index, entry.name)) }
        for move in moves(of: entry) { try Self.move(move.outside, to: move.inside) }
        try setStep(entry.name, from: .deleting, to: .deleted)
        for path in entry.paths { StillFolder.removeEmpty(StillFolder.path(of: folder + "/" + path), within: folder) }
    }

    private func moveOut(_ entry: Entry) throws(CaptureError) {
        for path in entry.paths { try StillFolder.make(StillFolder.path(of: folder + "/" + path)) }
        for move in moves(of: entry) { try Self.move(move.inside, to: move.outside) }
        for folder in Set(entry.paths.map { StillFolder.path(of: folder + "/" + $0) }) { try StillFolder.sync(folder) }
        try remove(entry.name)
    }

    /// Moves a file, unless it is missing: then it was moved before, or there is none.
    private static func move(_ old: String, to new: String) throws(CaptureError) {
        let failure = TemporaryFile.renameToFreeName(old, new)
        guard failure != 0, failure != ENOENT || DeviceFiles.exists(old) else { return }
        guard failure != EXDEV else {
            throw CaptureError(
                .usage, "is on another disk than the trash of its folder", subject: old,
                advice: "make the folder of that disk a part of the library with gst-capture library scan")
        }
        throw .file(failure, failure == EEXIST ? new : old, "cannot be moved")
    }

    /// Removes all files of an entry, the record last, and its folders.
    private func remove(_ name: String) throws(CaptureError) {
        try removeFiles(name)
        try removeRecord(name)
    }

    private func removeFiles(_ name: String) throws(CaptureError) {
        let place = home(0, name)
        for inner in DeviceFiles.names(in: place) where !inner.hasPrefix(".") {
            let path = place + "/" + inner
            guard unlink(path) != 0 else { continue }
            guard errno == EISDIR else { throw .file(errno, path, "cannot be removed") }
            for file in DeviceFiles.names(in: path) { unlink(path + "/" + file) }
            guard rmdir(path) == 0 else { throw .file(errno, path, "cannot be removed") }
        }
    }

    private func removeRecord(_ name: String) throws(CaptureError) {
        let place = home(0, name)
        for step in Step.allCases { unlink(record(step, name)) }
        guard rmdir(place) == 0 || errno == ENOENT else { throw .file(errno, place, "cannot be removed") }
    }

    // MARK: - Records

    private func home(_ index: Int, _ name: String) -> String { "\(trash)/\(name)" + (index == 0 ? "" : "/\(index)") }

    private func record(_ step: Step, _ name: String) -> String { "\(home(0, name))/.\(step.rawValue)" }

    private func isThere(_ step: Step, _ name: String) -> Bool { DeviceFiles.exists(record(step, name)) }

    private func entry(_ name: String, _ step: Step) -> Entry? {
        guard let bytes = try? RegularFile.read(record(step, name), most: Self.mostBytes) else { return nil }
        return Entry(name, bytes)
    }

    /// Takes a complete entry, which no other program then has.
    private func claim(_ name: String, _ step: Step) throws(CaptureError) {
        guard Glibc.rename(record(.deleted, name), record(step, name)) == 0 else {
            guard errno == ENOENT else { throw .file(errno, record(.deleted, name), "cannot be renamed") }
            throw .notInTrash(name)
        }
    }

    private func setStep(_ name: String, from old: Step, to new: Step) throws(CaptureError) {
        guard Glibc.rename(record(old, name), record(new, name)) != 0, !isThere(new, name) else { return }
        throw .file(errno, record(old, name), "cannot be renamed")
    }
}

extension TrashFolder.Entry {
    /// Reads a record; `nil` if it is damaged, or has a path outside of the folder: a disk can come from anywhere.
    fileprivate init?(_ name: String, _ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self),
            let node = try? JSONNode(text, path: "record", levels: 3, mostValues: 1000),
            let deleted = (try? node.text("deleted")).flatMap({ WallTime(iso8601: $0) }),
            let paths = try? node.texts("files"), !paths.isEmpty, paths.allSatisfy(Self.isInside)
        else { return nil }
        let elsewhere = (try? node.texts("elsewhere")) ?? []
        self.init(
            name: name, deleted: deleted, paths: paths, elsewhere: elsewhere, sha256: try? node.optionalText("sha256"))
    }

    private static func isInside(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return !path.hasPrefix(".gst-capture/") && !path.utf8.contains(0)
            && parts.allSatisfy { !["", ".", ".."].contains(String(decoding: Array($0), as: UTF8.self)) }
    }

    fileprivate var record: [UInt8] {
        let object = JSONValue.object([
            "deleted": .string(deleted.iso8601), "files": .array(paths.map(JSONValue.string)),
            "elsewhere": .array(elsewhere.map(JSONValue.string)), "sha256": .optional(sha256),
        ])
        return Array((object.text + "\n").utf8)
    }
}

extension CaptureError {
    fileprivate static func notInTrash(_ name: String) -> CaptureError {
        CaptureError(
            .noInput, "is not in the trash", subject: name,
            advice: "gst-capture library trash lists its pictures; it is emptied after 30 days, or to make room")
    }
}
