// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// The names of crops.
struct CropNames {
    /// The suffix of a crop's name, unless `--output` gives another name.
    static let suffix = "-crop"

    private let output: String?

    /// Creates the names of crops.
    ///
    /// - Parameter output: A name in which % stands for the picture's name; a folder; or `nil` for a name beside the
    ///   picture.
    init(_ output: String?) { self.output = output }

    /// The format that the name's extension selects; `nil` if it selects none.
    var format: StillFormat? { isFolder ? nil : output.flatMap { StillFormat(fileName: $0) } }

    /// Checks that the name's extension is a crop format, and that this many pictures get different names.
    func check(_ count: Int) throws(CaptureError) {
        if let output, !isFolder, output != "-", format != .jpeg, format != .png,
            let ending = Self.ending(of: output) ?? format.map({ "." + $0.fileExtension })
        {
            throw CaptureError(
                .usage, "\"\(ending)\" is not a crop format", subject: "--output", advice: "give .jpg or .png")
        }
        guard let output, count > 1, !isFolder, !output.contains("%") else { return }
        throw CaptureError(
            .usage, "\"\(output)\" gives \(count) pictures the same name", subject: "--output",
            advice: "put % into it for the picture's name, or give a folder")
    }

    /// Returns the path of a picture's crop.
    func path(for source: String, _ format: StillFormat) -> String {
        let (folder, name) = Self.parts(of: source)
        let file = name + Self.suffix + "." + format.fileExtension
        guard let output else { return folder + file }
        if isFolder { return output.hasSuffix("/") ? output + file : output + "/" + file }
        return output.split(separator: "%", omittingEmptySubsequences: false).joined(separator: name)
    }

    /// Returns `true` if the name is one that this command gives to crops.
    static func isCrop(_ path: String) -> Bool { parts(of: path).name.hasSuffix(suffix) }

    private var isFolder: Bool { output.map { $0.hasSuffix("/") || LibraryPicture.isAlbum($0) } ?? false }

    /// Returns the name's extension with its dot; `nil` if it has none.
    private static func ending(of path: String) -> String? {
        let (folder, name) = parts(of: path)
        let ending = path.dropFirst(folder.count + name.count)
        return ending.count > 1 ? String(ending) : nil
    }

    /// Returns the folder with its slash, and the name without its extension.
    private static func parts(of path: String) -> (folder: Substring, name: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[start...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (path[..<start], String(name)) }
        return (path[..<start], String(name[..<dot]))
    }
}
