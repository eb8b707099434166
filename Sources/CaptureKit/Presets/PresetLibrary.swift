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

    private let surroundings: PresetSurroundings

    /// Creates a library; files are looked for and read anew by each call.
    public init(_ surroundings: PresetSurroundings = .process) { self.surroundings = surroundings }

    /// All presets, by name.
    public var entries: [Entry] {
        files.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), preset: Self.read(paths[0]))
        }
        .sorted { $0.name < $1.name }
    }

    /// Finds a preset.
    ///
    /// - Parameter text: Its name, or its file: what has a slash in it or ends in `.yaml` is a file.
    /// - Throws: ``CaptureError`` `.noInput` where there is none, with the nearest name; else as ``Preset/init(path:)``.
    public func preset(_ text: String) throws(CaptureError) -> Preset { try Preset(path: try path(text)) }

    /// Finds the file of a preset without reading it; see ``preset(_:)``.
    public func path(_ text: String) throws(CaptureError) -> String {
        if text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml") {
            return text.hasPrefix("/") ? text : surroundings.workingFolder + "/" + text
        }
        guard let path = Self.isName(text) ? folders.lazy.map({ file(text, in: $0) }).first(where: Self.isFile) : nil
        else { throw missing(text) }
        return path
    }

    private func missing(_ text: String) -> CaptureError {
        let names = files.keys.sorted()
        let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
        let advice = names.isEmpty ? "none is found at all" : "there are \(names.joined(separator: ", "))"
        return CaptureError(.noInput, "there is no such preset", subject: text.quoted, advice: near ?? advice)
    }

    private static func read(_ path: String) -> Result<Preset, CaptureError> {
        do throws(CaptureError) { return .success(try Preset(path: path)) } catch { return .failure(error) }
    }
}

extension PresetLibrary {
    private static let suffix = ".yaml"

    /// The folders that are there, each once by whatever name.
    private var folders: [String] {
        var known: Set<String> = []
        return surroundings.folders.filter { folder in
            DeviceFiles.canonical(folder).map { known.insert($0).inserted } ?? false
        }
    }

    /// The files of each name, first the one that wins.
    private var files: [String: [String]] {
        var files: [String: [String]] = [:]
        for folder in folders {
            for file in DeviceFiles.names(in: folder) where file.hasSuffix(Self.suffix) {
                let name = String(file.dropLast(Self.suffix.count))
                let path = self.file(name, in: folder)
                if Self.isName(name), Self.isFile(path) { files[name, default: []].append(path) }
            }
        }
        return files
    }

    private func file(_ name: String, in folder: String) -> String { folder + "/" + name + Self.suffix }

    /// A name is one part of a path, and not a hidden one.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    private static func isFile(_ path: String) -> Bool { PresetFile.isRegular(path) }
}
