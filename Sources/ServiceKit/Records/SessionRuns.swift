// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit
import SystemBase

/// The runs of a session in its folder. All functions read files and block. Clients name runs by ID, and no ID leads to
/// another folder.
public enum SessionRuns {
    /// The file of a picture.
    public struct File: Sendable {
        /// The path of the file.
        public let path: String
        /// The media type.
        public let mediaType: String
        /// The number of bytes according to the record.
        public let byteCount: Int
        /// The folder of the run.
        fileprivate let folder: String
        /// The name of the file in that folder.
        package let name: String

        fileprivate init(_ file: SessionFileRecord, of run: SessionArchive.Entry, _ mediaType: String) {
            (folder, name, byteCount, self.mediaType) = (run.path, file.name, file.byteCount, mediaType)
            path = run.path + "/" + file.name
        }

        /// Opens the file. Blocks.
        ///
        /// - Throws: `RegularFile.Failure` if the file is gone, or a link leads out of the folder of the run.
        package func open() throws(RegularFile.Failure) -> RegularFile { try OpenFolder(folder).file(name) }
    }

    /// The maximum number of runs in a page of a list.
    public static let mostListed = 500

    /// Returns a run by its ID.
    ///
    /// - Throws: `CaptureError` `.noInput` if the session has no such run, or `.inputOutput` if its record is damaged.
    public static func run(_ id: String, of session: ServiceSession) throws(CaptureError) -> SessionArchive.Entry {
        let isPlain = id.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
        guard isPlain, (1...128).contains(id.utf8.count) else { throw .unknown("run", id) }
        let entry: SessionArchive.Entry
        do throws(CaptureError) {
            entry = try SessionArchive.entry(at: session.output + "/" + id)
        } catch {
            throw error.code == .noInput ? .unknown("run", id) : error
        }
        guard entry.record.progress.session == session.file.session.name else { throw .unknown("run", id) }
        return entry
    }

    /// Returns the file of a picture, or of a clip.
    ///
    /// - Parameters:
    ///   - isWhole: `true` for the whole picture, even if there is a crop.
    ///   - isPoster: `true` for the first picture of a clip.
    ///   - view: The role of a further camera that captured the same moment; `nil` for the shown one.
    /// - Throws: `CaptureError` `.noInput` if the run has no such picture.
    public static func picture(
        _ number: Int, whole isWhole: Bool = false, poster isPoster: Bool = false, view: String? = nil,
        of run: SessionArchive.Entry
    ) throws(CaptureError) -> File {
        guard let still = run.record.stills[number] else { throw .unknown("picture", "\(number)") }
        var file = isWhole ? still.file : still.best
        if isPoster {
            guard let poster = still.poster else { throw .unknown("first picture of a clip", "\(number)") }
            file = poster
        }
        if let view {
            guard let seen = still.views.first(where: { $0.role.rawValue == view }) else {
                throw .unknown("view", view)
            }
            file = seen.file
        }
        // The record is a file, and a name in it must not lead to another folder.
        guard !file.name.contains("/"), file.name != ".." else { throw .unknown("picture", "\(number)") }
        let isMovie = still.isClip && !isPoster
        let type = isMovie ? "video/mp4" : StillFormat(fileName: file.name).map(StillRecord.mediaType)
        return File(file, of: run, type ?? "application/octet-stream")
    }

    /// Returns the file that was made of the pictures of a run.
    ///
    /// - Parameter kind: Its kind, as ``SessionResult`` names it.
    /// - Throws: `CaptureError` `.noInput` if the run has none.
    public static func result(_ kind: String, of run: SessionArchive.Entry) throws(CaptureError) -> File {
        let name = SessionResult(rawValue: kind)?.fileName
        guard let file = run.record.results.first(where: { $0.name == name }) else { throw .unknown("result", kind) }
        return File(file, of: run, "image/jpeg")
    }

    /// Returns the ID of a run: the name of its folder.
    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension SessionArchive.Entry {
    /// The ID of the run.
    public var id: String { SessionRuns.name(path) }
}
