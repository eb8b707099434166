// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// A session that was read from a file.
public struct SessionFile: Sendable, Hashable {
    /// The session that the file describes.
    public let session: SessionDescription
    /// The path of the file.
    public let path: String
    /// The unchanged text of the file, to be copied and edited.
    public let text: String

    /// Reads a file of up to 64 KiB. It blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` or `.permission` if the file cannot be read, or `.configuration` with a
    ///   line for each mistake: `avatar.yaml:7:5: unknown key "promt"; did you mean "prompt"?`
    public init(path: String) throws(CaptureError) {
        try self.init(path: path, bytes: try Self.read(path))
    }

    /// Reads a session from memory, and finds the outlines of the tutorial. It blocks.
    ///
    /// - Parameter path: The file that errors name; relative paths of pictures and outlines start from its folder.
    /// - Throws: `CaptureError` `.configuration` with a line for each mistake.
    public init(path: String, bytes: [UInt8]) throws(CaptureError) {
        let reader = Self.reader(path, bytes)
        if let error = CaptureError.joining(reader.errors) { throw error }
        var session = reader.session
        for index in session.tutorial.indices {
            session.tutorial[index].picture = session.tutorial[index].picture.map { text in
                (try? Self.picture(text, besides: path, OutlineLibrary())) ?? Self.absolute(text, besides: path)
            }
        }
        for index in session.stages.indices {
            session.stages[index].outline = session.stages[index].outline.map { Self.outline($0, besides: path) }
        }
        (self.session, self.path, text) = (session, path, reader.text)
    }

    /// Returns all mistakes in a file, each with `file:line:column` as its subject; empty if the file is valid. It
    /// blocks.
    ///
    /// - Parameter outlines: The library that finds the outlines of the stages.
    public static func errors(inFile path: String, outlines: OutlineLibrary = OutlineLibrary()) -> [CaptureError] {
        do throws(CaptureError) {
            let reader = reader(path, try read(path))
            return reader.errors
                + missing(reader.outlines.filter { $0.text.lowercased() != "none" }, path) {
                    name throws(CaptureError) in
                    _ = try outlines.outline(outline(name, besides: path))
                }
                + missing(reader.pictures, path) { name throws(CaptureError) in
                    try RegularFile.check(picture(name, besides: path, outlines))
                }
        } catch {
            return [error]
        }
    }
}

extension SessionFile {
    private static func missing(
        _ names: [SourcedText], _ path: String, find: (String) throws(CaptureError) -> Void
    ) -> [CaptureError] {
        names.compactMap { name in
            do throws(CaptureError) {
                try find(name.text)
                return nil
            } catch {
                let place = TextPlace.subject(RegularFile.display(path), name.place)
                return CaptureError(.configuration, error.summary, subject: place, advice: error.advice)
            }
        }
    }

    // One byte over the limit shows that a file is too large.
    private static func read(_ path: String) throws(CaptureError) -> [UInt8] {
        try RegularFile.read(path, most: SettingsText.mostBytes + 1)
    }

    private static func reader(_ path: String, _ bytes: [UInt8]) -> SessionReader {
        SessionReader(bytes, name: Preset.name(ofFile: path), file: RegularFile.display(path))
    }

    /// The unchanged name of an outline, or the path of its file.
    private static func outline(_ text: String, besides path: String) -> String {
        OutlineLibrary.isPath(text) ? absolute(text, besides: path) : text
    }

    /// The path of a tutorial's picture: a file, or the drawing of an outline. A text without a slash and a period is
    /// an outline's name.
    private static func picture(
        _ text: String, besides path: String, _ outlines: OutlineLibrary
    ) throws(CaptureError) -> String {
        text.contains { $0 == "/" || $0 == "." } ? absolute(text, besides: path) : try outlines.outline(text).path
    }

    /// A path resolved against the folder of the session's file.
    private static func absolute(_ name: String, besides path: String) -> String {
        name.hasPrefix("/") ? name : DeviceFiles.folder(of: path) + "/" + name
    }
}
