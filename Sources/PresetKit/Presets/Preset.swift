// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Named settings: a YAML file whose keys are the options of a capture.
public struct Preset: Sendable, Hashable {
    /// Its name: that of the file, without `.yaml`.
    public let name: String
    /// Its purpose in one line: its `description`, or else its first comment.
    public let description: String
    /// Its file.
    public let path: String
    /// The settings in the file.
    public let settings: CaptureSettings
    /// The text of the file, for users to copy and edit.
    public let text: String

    /// Reads a file of up to 64 KiB. It blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` or `.permission` if the file cannot be read, or `.configuration` with a
    ///   line for each mistake: `usb.yaml:7:1: unknown key "widht"; did you mean "width"?`
    public init(path: String) throws(CaptureError) {
        try self.init(path: path, bytes: try Self.read(path))
    }

    /// Reads a preset from memory.
    ///
    /// - Parameter path: The file that errors name.
    /// - Throws: `CaptureError` `.configuration` with a line for each mistake.
    public init(path: String, bytes: [UInt8]) throws(CaptureError) {
        let reader = PresetReader(bytes, file: RegularFile.display(path))
        if let error = CaptureError.joining(reader.errors) { throw error }
        self.path = path
        name = Self.name(ofFile: path)
        description = reader.description
        settings = reader.settings
        text = reader.text
    }

    /// Returns all mistakes in a file, each with `file:line:column` as its subject; empty if the file is valid. It
    /// blocks.
    ///
    /// - Parameter outlines: The library that finds the outlines of its layers.
    public static func errors(inFile path: String, outlines: OutlineLibrary = OutlineLibrary()) -> [CaptureError] {
        do throws(CaptureError) {
            let reader = PresetReader(try read(path), file: RegularFile.display(path))
            return reader.errors + reader.settings.layerErrors(outlines)
        } catch {
            return [error]
        }
    }

    /// Returns the output that a file sets, even if other settings have mistakes; `nil` if it sets none.
    package static func output(inFile path: String) -> String? {
        guard let bytes = try? read(path) else { return nil }
        return PresetReader(bytes, file: RegularFile.display(path)).settings.output
    }

    // One byte more than the limit shows that a file is too large.
    private static func read(_ path: String) throws(CaptureError) -> [UInt8] {
        try RegularFile.read(path, most: SettingsText.mostBytes + 1)
    }

    package static func name(ofFile path: String) -> String {
        let file = DeviceFiles.name(of: path)
        let suffix = [".yaml", ".yml"].first { file.hasSuffix($0) && file != $0 } ?? ""
        return String(file.dropLast(suffix.count))
    }
}
