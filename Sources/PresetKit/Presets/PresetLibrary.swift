// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds presets in `~/.config/gst-capture` (or `$XDG_CONFIG_HOME/gst-capture`), in `/etc/gst-capture`, in the folders
/// where gst-capture is installed or built, and in `./pipelines`. The first file of a name wins.
///
/// A preset of `./pipelines` that can run commands or GStreamer elements is refused unless the user gives its path: in
/// a downloaded folder, the name of a preset must not be enough to run that folder's commands.
public struct PresetLibrary: Sendable {
    /// A preset that was found, valid or not.
    public struct Entry: Sendable {
        /// Its name.
        public let name: String
        /// Its file.
        public let path: String
        /// Files of the same name in later folders, which this one hides.
        public let shadowed: [String]
        /// The preset, or its errors.
        public let preset: Result<Preset, CaptureError>
    }

    private let files: NamedFiles
    private let surroundings: PresetSurroundings

    /// Creates a library. Each call searches the folders and reads the files again, and blocks.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "preset", folders: surroundings.folders, suffixes: [".yaml"], fileSuffixes: [".yaml", ".yml"],
            workingFolder: surroundings.workingFolder)
        self.surroundings = surroundings
    }

    /// All presets, sorted by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), preset: read(name, paths[0]))
        }
    }

    /// Finds a preset.
    ///
    /// - Parameter text: Its name or its file. A text with a slash, or that ends in `.yaml` or `.yml`, is a file.
    /// - Throws: `CaptureError` `.noInput` if there is no such preset, with the nearest name; `.permission` if a name
    ///   is found in `./pipelines` alone and the preset can run commands or elements; otherwise as
    ///   ``Preset/init(path:)``.
    public func preset(_ text: String) throws(CaptureError) -> Preset {
        let path = try path(text)
        let preset = try Preset(path: path)
        if files.isName(text) { try check(preset, text) }
        return preset
    }

    /// Finds the file of a preset without reading it; see ``preset(_:)``.
    public func path(_ text: String) throws(CaptureError) -> String { try files.path(text) }

    private func read(_ name: String, _ path: String) -> Result<Preset, CaptureError> {
        do throws(CaptureError) {
            let preset = try Preset(path: path)
            try check(preset, name)
            return .success(preset)
        } catch {
            return .failure(error)
        }
    }

    private func check(_ preset: Preset, _ name: String) throws(CaptureError) {
        let keys = preset.settings.runningKeys
        guard !keys.isEmpty, DeviceFiles.folder(of: preset.path) == surroundings.untrustedFolder else { return }
        throw CaptureError(
            .permission,
            "the preset in ./pipelines uses \(keys.joined(separator: ", ")), which can run commands or GStreamer elements",
            subject: name.quoted,
            advice: "give its path if you trust it: ./pipelines/\(DeviceFiles.name(of: preset.path))")
    }
}
