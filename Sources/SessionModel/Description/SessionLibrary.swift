// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// The sessions that users refer to by name: `NAME.yaml` in the folder `sessions` of each preset folder, with
/// `./pipelines` last. The first file of a name wins. A session runs no commands and no elements, in any folder.
public struct SessionLibrary: Sendable {
    /// A session of the library, valid or not.
    public struct Entry: Sendable {
        /// The session's name.
        public let name: String
        /// The path of its file.
        public let path: String
        /// The files of the same name that it hides, in later folders.
        public let shadowed: [String]
        /// The session, or the mistakes in its file.
        public let file: Result<SessionFile, CaptureError>
    }

    private let files: NamedFiles

    /// Creates a library. Each call searches the folders and reads the files again, and blocks.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "session", folders: surroundings.folders.map { $0 + "/sessions" }, suffixes: [".yaml"],
            fileSuffixes: [".yaml", ".yml"], workingFolder: surroundings.workingFolder)
    }

    /// All sessions, sorted by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), file: Self.read(paths[0]))
        }
    }

    /// Finds and reads a session.
    ///
    /// - Parameter text: Its name, or the path of its file: a text with a slash or the ending `.yaml` or `.yml` is a
    ///   path.
    /// - Throws: `CaptureError` `.noInput` with the nearest name if there is no such session; else as
    ///   ``SessionFile/init(path:)``.
    public func file(_ text: String) throws(CaptureError) -> SessionFile { try SessionFile(path: try path(text)) }

    /// Finds the file of a session without reading it; see ``file(_:)``.
    public func path(_ text: String) throws(CaptureError) -> String { try files.path(text) }

    private static func read(_ path: String) -> Result<SessionFile, CaptureError> {
        do throws(CaptureError) { return .success(try SessionFile(path: path)) } catch { return .failure(error) }
    }
}
