// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import Testing

/// A real photograph, in the public domain: a portrait of Grace Hopper, which matplotlib ships as sample data.
package struct Photograph {
    package static let path = "/usr/share/matplotlib/mpl-data/sample_data/grace_hopper.jpg"
    package static var isInstalled: Bool { FileManager.default.fileExists(atPath: path) && StillTool.has("djpeg") }
    package static let advice: Comment = "a photograph or djpeg is missing; run scripts/setup test"

    package let width: Int
    package let height: Int
    package private(set) var levels: [UInt8]

    /// More photographs, of 512 × 512, which GNOME ships as user pictures: a book, a cat, tomatoes and so on.
    package static let others: [String] = {
        let folder = "/usr/share/pixmaps/faces/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // Links are excluded: their targets are older, small pictures.
        return names.sorted().map { folder + $0 }.filter {
            let kind = try? FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
            return $0.hasSuffix(".jpg") && kind == .typeRegular
        }
    }()

    /// Decodes the photograph, by default at 1.5 times its size: 768 × 900.
    package init(path: String = Self.path, scale: String = "12/8") async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/photograph.pgm"
        let arguments = ["-grayscale", "-scale", scale, "-pnm", "-outfile", file, path]
        try #require(try await StillTool.run("djpeg", arguments).status == 0)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let header = try #require(Self.header(of: bytes))
        (width, height) = (header.width, header.height)
        levels = Array(bytes.suffix(width * height))
    }

    /// The photograph upside down, as a negative: other edges in other places, dark for light.
    package var reversed: Photograph {
        var reversed = self
        reversed.levels = levels.reversed().map { 255 - $0 }
        return reversed
    }

    /// The format of the whole photograph as a frame.
    package var info: VideoInfo { get throws { try VideoInfo(format: "GRAY8", width: width, height: height) } }

    /// The size in a PGM header: `P5`, the width, the height, and 255.
    private static func header(of bytes: [UInt8]) -> (width: Int, height: Int)? {
        let words = String(decoding: bytes.prefix(64), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 3, words[0] == "P5", let width = Int(words[1]), let height = Int(words[2]),
            width > 0, height > 0, bytes.count > width * height
        else { return nil }
        return (width, height)
    }
}
