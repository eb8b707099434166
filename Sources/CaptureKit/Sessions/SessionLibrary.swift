// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The sessions that are found: `NAME.yaml` in the folder `sessions` of each folder that has presets, `./pipelines` last.
/// The first of a name wins. A session runs no commands and no elements, wherever it is found.
public struct SessionLibrary: Sendable {
    /// A session that is found, good or not.
    public struct Entry: Sendable {
        /// Its name.
        public let name: String
        /// Its file.
        public let path: String
        /// Files of the same name that it hides, in folders that come later.
        public let shadowed: [String]
        /// What is in it, or what is wrong with it.
        public let file: Result<SessionFile, CaptureError>
    }

    private let files: NamedFiles

    /// Creates a library; files are looked for and read anew by each call.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "session", folders: surroundings.folders.map { $0 + "/sessions" }, suffixes: [".yaml"],
            fileSuffixes: [".yaml", ".yml"], workingFolder: surroundings.workingFolder)
    }

    /// All sessions, by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), file: Self.read(paths[0]))
        }
    }

    /// Finds a session.
    ///
    /// - Parameter text: Its name, or its file: what has a slash in it or ends in `.yaml` is a file.
    /// - Throws: ``CaptureError`` `.noInput` where there is none, with the nearest name; else as ``SessionFile/init(path:)``.
    public func file(_ text: String) throws(CaptureError) -> SessionFile { try SessionFile(path: try path(text)) }

    /// Finds the file of a session without reading it; see ``file(_:)``.
    public func path(_ text: String) throws(CaptureError) -> String { try files.path(text) }

    private static func read(_ path: String) -> Result<SessionFile, CaptureError> {
        do throws(CaptureError) { return .success(try SessionFile(path: path)) } catch { return .failure(error) }
    }
}
