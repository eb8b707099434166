// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// Small valid files, from which the tests also make damaged ones.
enum Corpus {
    static let drawings = ["outline.svg", "paint.svg", "text.svg"]
    static let pictures = ["halves.png", "palette.png", "turned.jpg", "progressive.jpg"]

    /// The bytes of a file beside these tests.
    static func file(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: tests.appending(path: "Corpus/\(name)")))
    }
}
