// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The presets that are found: in `./pipelines`, in `~/.config/gst-capture` (or `$XDG_CONFIG_HOME/gst-capture`), in
/// `/etc/gst-capture`, and where gst-capture is installed or built. The first of a name wins.
public struct PresetLibrary: Sendable {
    /// A preset that is found, good or not.
    public struct Entry: Sendable {
        /// Its name.
        public let name: String
        /// Its file.
        public let path: String
        /// Files of the same name that it hides, in folders that come later.
        public let shadowed: [String]
        /// What is in it, or what is wrong with it.
        public let preset: Result<Preset, CaptureError>
    }

    private let files: NamedFiles

    /// Creates a library; files are looked for and read anew by each call.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "preset", folders: surroundings.folders, suffixes: [".yaml"], fileSuffixes: [".yaml", ".yml"],
            workingFolder: surroundings.workingFolder)
    }

    /// All presets, by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), preset: Self.read(paths[0]))
        }
    }

    /// Finds a preset.
    ///
    /// - Parameter text: Its name, or its file: what has a slash in it or ends in `.yaml` is a file.
    /// - Throws: ``CaptureError`` `.noInput` where there is none, with the nearest name; else as ``Preset/init(path:)``.
    public func preset(_ text: String) throws(CaptureError) -> Preset { try Preset(path: try path(text)) }

    /// Finds the file of a preset without reading it; see ``preset(_:)``.
    public func path(_ text: String) throws(CaptureError) -> String { try files.path(text) }

    private static func read(_ path: String) -> Result<Preset, CaptureError> {
        do throws(CaptureError) { return .success(try Preset(path: path)) } catch { return .failure(error) }
    }
}
