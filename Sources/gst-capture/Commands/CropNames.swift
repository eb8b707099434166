// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Where crops go.
struct CropNames {
    /// What is behind the name of a picture where nothing else is asked for.
    static let suffix = "-crop"

    private let output: String?

    /// - Parameter output: A name, in which % stands for the picture's; a folder; or nothing, for beside the picture.
    init(_ output: String?) { self.output = output }

    /// The format that the name's ending asks for.
    var format: StillFormat? { isFolder ? nil : output.flatMap { StillFormat(fileName: $0) } }

    /// Looks whether so many pictures get names of their own.
    func check(_ count: Int) throws(CaptureError) {
        if let output, !isFolder, output != "-", format != .jpeg, format != .png,
            let ending = Self.ending(of: output) ?? format.map({ "." + $0.fileExtension })
        {
            throw CaptureError(
                .usage, "\"\(ending)\" is no format of crops", subject: "--output", advice: "give .jpg or .png")
        }
        guard let output, count > 1, !isFolder, !output.contains("%") else { return }
        throw CaptureError(
            .usage, "\"\(output)\" is one name for \(count) pictures", subject: "--output",
            advice: "put % into it for the picture's name, or give a folder")
    }

    /// The path of a picture's crop.
    func path(for source: String, _ format: StillFormat) -> String {
        let (folder, name) = Self.parts(of: source)
        let file = name + Self.suffix + "." + format.fileExtension
        guard let output else { return folder + file }
        if isFolder { return output.hasSuffix("/") ? output + file : output + "/" + file }
        return output.split(separator: "%", omittingEmptySubsequences: false).joined(separator: name)
    }

    /// True for what was cropped by this command, by its name.
    static func isCrop(_ path: String) -> Bool { parts(of: path).name.hasSuffix(suffix) }

    private var isFolder: Bool { output.map { $0.hasSuffix("/") || LibraryPicture.isAlbum($0) } ?? false }

    /// The name's ending, with its dot; `nil` where it has none.
    private static func ending(of path: String) -> String? {
        let (folder, name) = parts(of: path)
        let ending = path.dropFirst(folder.count + name.count)
        return ending.count > 1 ? String(ending) : nil
    }

    /// The folder, with its slash, and the name without its ending.
    private static func parts(of path: String) -> (folder: Substring, name: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[start...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (path[..<start], String(name)) }
        return (path[..<start], String(name[..<dot]))
    }
}
