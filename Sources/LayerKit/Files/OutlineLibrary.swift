// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// Finds outlines: `NAME.svg` or `NAME.png` in the folder `outlines` of each preset folder, `./pipelines` last. The
/// first file of a name wins.
public struct OutlineLibrary: Sendable {
    /// An outline that was found, valid or not.
    public struct Entry: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its file.
        public let path: String
        /// Files of the same name in later folders, which this one hides.
        public let shadowed: [String]
        /// The title in its SVG; `nil` if there is none.
        public let title: String?
    }

    private let files: NamedFiles

    /// Creates a library. Each call searches the folders again, and blocks.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "outline", folders: surroundings.folders.map { $0 + "/outlines" }, suffixes: Self.suffixes,
            fileSuffixes: Self.suffixes, workingFolder: surroundings.workingFolder)
    }

    /// All outlines, sorted by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), title: Self.title(ofFile: paths[0]))
        }
    }

    /// Finds an outline without reading it. An outline given as a file is named after the file.
    ///
    /// - Parameter text: Its name or its file. A text with a slash, or that ends in `.svg` or `.png`, is a file.
    /// - Throws: `CaptureError` `.noInput` if there is no such outline, with the nearest name, or `.permission`.
    public func outline(_ text: String) throws(CaptureError) -> Outline {
        let path = try files.path(text)
        try RegularFile.check(path)
        return Outline(name: files.name(ofFile: path), path: path)
    }

    /// `true` if a text is the path of an outline, not its name.
    package static func isPath(_ text: String) -> Bool { NamedFiles.isPath(text, suffixes: suffixes) }

    private static let suffixes = [".svg", ".png"]

    /// Returns the text of an outline's file.
    ///
    /// - Throws: `CaptureError` as ``outline(_:)``, and `.noInput` if the file is not UTF-8 text, or larger than 4 MiB.
    public func text(_ name: String) throws(CaptureError) -> String {
        let path = try outline(name).path
        let bytes = try RegularFile.read(path, most: Self.mostBytes + 1)
        guard bytes.count <= Self.mostBytes else {
            throw CaptureError(
                .noInput, "is larger than 4 MiB", subject: path, advice: "simplify the drawing, or show it as a PNG")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CaptureError(.noInput, "is not text", subject: path, advice: "an outline to edit is an SVG file")
        }
        return text
    }

    /// Returns the absolute path of a file for a layer, after checking that it exists and can be read.
    func file(_ text: String) throws(CaptureError) -> String {
        let path = files.absolute(text)
        try RegularFile.check(path)
        return path
    }

    private static let mostBytes = 4 << 20

    /// The bytes that are searched for a title: titles come first, and the drawing follows.
    private static let mostTitleBytes = 16384

    private static func title(ofFile path: String) -> String? {
        guard path.hasSuffix(".svg") else { return nil }
        do throws(CaptureError) {
            return SVGTitle.find(in: try RegularFile.read(path, most: mostTitleBytes))
        } catch {
            return nil
        }
    }
}
