// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// The outlines that are found: `NAME.svg` or `NAME.png` in the folder `outlines` of each folder that has presets,
/// `./pipelines` last. The first of a name wins.
public struct OutlineLibrary: Sendable {
    /// An outline that is found, good or not.
    public struct Entry: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its file.
        public let path: String
        /// Files of the same name that it hides, in folders that come later.
        public let shadowed: [String]
        /// What it is of, as its SVG says.
        public let title: String?
    }

    private let files: NamedFiles

    /// Creates a library; files are looked for anew by each call.
    public init(_ surroundings: PresetSurroundings = .process) {
        files = NamedFiles(
            kind: "outline", folders: surroundings.folders.map { $0 + "/outlines" }, suffixes: Self.suffixes,
            fileSuffixes: Self.suffixes, workingFolder: surroundings.workingFolder)
    }

    /// All outlines, by name.
    public var entries: [Entry] {
        files.all.map { name, paths in
            Entry(name: name, path: paths[0], shadowed: Array(paths.dropFirst()), title: Self.title(ofFile: paths[0]))
        }
    }

    /// Finds an outline, which is not read yet. One of a file is named after it.
    ///
    /// - Parameter text: Its name, or its file: what has a slash in it or ends in `.svg` or `.png` is a file.
    /// - Throws: ``CaptureError`` `.noInput` where there is none, with the nearest name, or `.permission`.
    public func outline(_ text: String) throws(CaptureError) -> Outline {
        let path = try files.path(text)
        try RegularFile.check(path)
        return Outline(name: files.name(ofFile: path), path: path)
    }

    /// `true` if text is the path of an outline, and not its name.
    static func isPath(_ text: String) -> Bool { NamedFiles.isPath(text, suffixes: suffixes) }

    private static let suffixes = [".svg", ".png"]

    /// The text of an outline's file.
    ///
    /// - Throws: ``CaptureError`` as ``outline(_:)``; also where it is no text.
    public func text(_ name: String) throws(CaptureError) -> String {
        let path = try outline(name).path
        guard let text = String(validating: try RegularFile.read(path, most: Self.mostBytes), as: UTF8.self) else {
            throw CaptureError(.noInput, "is no text", subject: path, advice: "an outline to edit is an SVG file")
        }
        return text
    }

    /// The path of a file that a layer needs, once it is sure that it is there and can be read.
    func file(_ text: String) throws(CaptureError) -> String {
        let path = files.absolute(text)
        try RegularFile.check(path)
        return path
    }

    private static let mostBytes = 4 << 20

    /// Titles come first; what is behind this many bytes is drawing.
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
