// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// A kind of records that was read from a file.
public struct RecordKindFile: Sendable, Hashable {
    /// The kind that the file describes.
    public let kind: RecordKind
    /// The path of the file.
    public let path: String
    /// The unchanged text of the file, to be copied and edited.
    public let text: String

    /// Reads a file of up to 64 KiB. It blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` or `.permission` if the file cannot be read, or `.configuration` with a
    ///   line for each mistake: `card.yaml:4:5: unknown key "requird"; did you mean "required"?`
    public init(path: String) throws(CaptureError) {
        // One byte over the limit shows that a file is too large.
        try self.init(path: path, bytes: try RegularFile.read(path, most: SettingsText.mostBytes + 1))
    }

    /// Reads a kind from memory.
    ///
    /// - Parameter path: The file that errors name.
    /// - Throws: `CaptureError` `.configuration` with a line for each mistake.
    public init(path: String, bytes: [UInt8]) throws(CaptureError) {
        let reader = RecordKindReader(bytes, name: Self.name(ofFile: path), file: RegularFile.display(path))
        if let error = CaptureError.joining(reader.errors) { throw error }
        (kind, self.path, text) = (reader.kind, path, reader.text)
    }

    private static func name(ofFile path: String) -> String {
        let file = DeviceFiles.name(of: path)
        return String(
            file.hasSuffix(".yaml") ? file.dropLast(5) : file.hasSuffix(".yml") ? file.dropLast(4) : file[...])
    }
}

/// The kinds that users refer to by name: `NAME.yaml` in the folder `records` of each preset folder, with `./pipelines`
/// last. The first file of a name wins.
public struct RecordKindLibrary: Sendable {
    /// A kind of the library, valid or not.
    public struct Entry: Sendable {
        /// The ID of the kind.
        public let name: String
        /// The path of its file.
        public let path: String
        /// The kind, or the mistakes in its file.
        public let file: Result<RecordKindFile, CaptureError>
    }

    private let files: NamedFiles

    /// Creates a library. Each call searches the folders and reads the files again, and blocks.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "kind of records", folders: surroundings.folders.map { $0 + "/records" }, suffixes: [".yaml"],
            fileSuffixes: [".yaml", ".yml"], workingFolder: surroundings.workingFolder)
    }

    /// All kinds, sorted by name.
    public var entries: [Entry] {
        files.all.map { name, paths in Entry(name: name, path: paths[0], file: Self.read(paths[0])) }
    }

    /// The kinds without mistakes, sorted by name.
    public var kinds: [RecordKind] { entries.compactMap { try? $0.file.get().kind } }

    /// Finds and reads a kind.
    ///
    /// - Parameter name: Its name, or the path of its file: a text with a slash or the ending `.yaml` or `.yml` is a
    ///   path.
    /// - Throws: `CaptureError` `.noInput` with the nearest name if there is no such kind; else as
    ///   ``RecordKindFile/init(path:)``.
    public func file(_ name: String) throws(CaptureError) -> RecordKindFile {
        try RecordKindFile(path: try files.path(name))
    }

    private static func read(_ path: String) -> Result<RecordKindFile, CaptureError> {
        do throws(CaptureError) { return .success(try RecordKindFile(path: path)) } catch { return .failure(error) }
    }
}

extension RecordKind {
    /// Returns the kind with its texts in a language, such as `de`; unchanged if it has no texts in that language.
    ///
    /// - Parameter tag: A BCP 47 tag. Of `de-AT`, the kind may have `de` only.
    public func translated(to tag: String) -> RecordKind {
        let tags = [tag.lowercased(), String(tag.lowercased().prefix { $0 != "-" && $0 != "_" })]
        guard let words = tags.lazy.compactMap({ tag in languages[tag] }).first else { return self }
        var kind = self
        kind.title = words.title ?? title
        for index in fields.indices {
            kind.fields[index].form.label = words.labels[fields[index].name] ?? fields[index].form.label
        }
        for index in sides.indices { kind.sides[index].label = words.labels[sides[index].name] ?? sides[index].label }
        return kind
    }
}
