// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import Glibc
import LedgerKit
import StillKit
import SystemBase
import VideoKit

/// The files of clips below a folder. A list of clips can name any path, so no link and no `..` leads out of the folder.
/// Every call blocks.
struct ClipFiles: Sendable {
    /// The identity of a file, which neither its path nor its content changes.
    struct Identity: Sendable, Hashable {
        private let device: dev_t, inode: ino_t

        /// Reads the identity of a file (`lstat(2)`); `nil` if there is none.
        init?(of path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    /// The absolute path of the folder, without a trailing slash.
    let folder: String

    init(_ folder: String) { self.folder = LedgerPlace.absolute(folder) }

    /// Returns the present size of a file in bytes; `nil` if there is none.
    func byteCount(_ path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Removes the file of a clip with its sidecar, durably, and then the folders that are empty.
    ///
    /// - Returns: `false` if the path has another file, which stays.
    /// - Throws: `CaptureError` of the file. It is still there, or its removal is not durable.
    func remove(_ clip: StoredClip) throws(CaptureError) -> Bool {
        var failure: CaptureError?
        do throws(RegularFile.Failure) {
            let parent = try OpenFolder(folder).folder(StillFolder.path(of: relative(clip.path)))
            let name = DeviceFiles.name(of: clip.path)
            guard try Int(parent.file(name).status.st_size) == clip.byteCount else { return false }
            failure = Self.remove(name, in: parent, clip.path)
        } catch {
            return try Self.isMissing(error, clip.path)
        }
        if let failure { throw failure }
        StillFolder.removeEmpty(StillFolder.path(of: clip.path), within: folder)
        return true
    }

    private static func remove(_ name: String, in parent: borrowing OpenFolder, _ path: String) -> CaptureError? {
        let removal = parent.remove(name)
        guard removal == 0 || removal == ENOENT else { return .file(removal, path, "cannot be removed") }
        _ = parent.remove(StillName.sidecarPath(of: name))
        let sync = parent.sync()
        return sync == 0 ? nil : .file(sync, path, "cannot be made durable")
    }

    /// Makes an ordinary movie of a clip that was being recorded, and sets its state and its facts: `repaired`, or `gone`
    /// if there is no file.
    ///
    /// - Returns: `false` if another process, or another recording, still writes the file.
    /// - Throws: `CaptureError` of the file; `.inputOutput` without a system error if nothing of it can be played.
    func repair(_ clip: inout StoredClip) throws(CaptureError) -> Bool {
        do throws(RegularFile.Failure) {
            _ = try OpenFolder(folder).file(relative(clip.path))
        } catch {
            clip.state = .gone
            if try !Self.isMissing(error, clip.path) { clip.error = CaptureError(error, clip.path).description }
            return true
        }
        let report: ClipFile.Report
        do throws(CaptureError) {
            report = try ClipFile.finalize(clip.path)
        } catch {
            guard error.code != .temporary else { return false }
            throw error
        }
        (clip.state, clip.duration, clip.byteCount) = (.repaired, report.duration, byteCount(clip.path))
        clip.frameCount = Self.track(.video, report)?.sampleCount ?? 0
        clip.soundDuration = Self.track(.audio, report)?.duration
        clip.error = nil
        return true
    }

    /// Returns the facts about a movie that is complete.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if the file is none, and the errors of files.
    func facts(_ path: String) throws(CaptureError) -> MovieFacts {
        do throws(RegularFile.Failure) {
            let file = try OpenFolder(folder).file(relative(path))
            if case .movie(let facts)? = try MovieFacts.content(of: file) { return facts }
        } catch {
            throw CaptureError(error, path)
        }
        throw CaptureError(.inputOutput, "is not a complete movie", subject: path)
    }

    private static func track(_ track: FragmentWriter.Track, _ report: ClipFile.Report) -> MP4Index.Track? {
        report.tracks.first { $0.id == track.rawValue }
    }

    /// Returns `true` for a file that does not exist, and `false` for one that is not a clip.
    ///
    /// - Throws: `CaptureError` if the disk fails, or the file may not be opened: nothing shows what it is.
    private static func isMissing(_ failure: RegularFile.Failure, _ path: String) throws(CaptureError) -> Bool {
        switch failure {
        case .notOpened(ENOENT), .notOpened(ENOTDIR): return true
        case .notOpened(EXDEV), .notOpened(ELOOP), .isFolder, .isNotRegular, .containsNUL: return false
        case .notOpened(let number), .notRead(let number): throw .file(number, path, "cannot be opened")
        }
    }

    private func relative(_ path: String) -> String { String(path.dropFirst(LedgerPlace.folder(folder).count)) }
}
