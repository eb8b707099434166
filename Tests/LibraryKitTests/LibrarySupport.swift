// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import StillKit

@testable import LibraryKit

extension BoardName {
    static let test = BoardName.named(like: "garden-pi")
}

extension LibraryItem {
    /// A picture of the series `garden`, ten seconds after the one before it.
    static func picture(_ line: Int, series: String = "garden", camera: String = "desk") -> LibraryItem {
        var facts = ItemFacts(.still, taken: .test(Int64(line) * 10), byteCount: 1000, fileName: "\(line).jpg")
        (facts.series, facts.camera, facts.sha256) = (series, camera, String(repeating: "0a", count: 32))
        return LibraryItem(id: ItemID(.test, .series(series, line: line)), facts: facts)
    }
}

/// Pictures with a moment in their tags.
enum TaggedPicture {
    /// Writes a picture of the day `number`, which is also in its last bytes. Creates its folder.
    @discardableResult
    static func write(_ picture: JPEGFile, _ number: Int, to path: String) throws -> String {
        var metadata = JPEGFile.metadata
        metadata.captured = .test(Int64(number) * 86400)
        let tagged = try metadata.embedded(in: picture.bytes, .jpeg)
        try FileManager.default.createDirectory(atPath: StillFolder.path(of: path), withIntermediateDirectories: true)
        try Data(tagged + Array("\(number)".utf8)).write(to: URL(filePath: path))
        return path
    }
}

extension LibraryIndex {
    convenience init(_ folder: TemporaryFolder) throws { try self.init(folder: folder.path, board: .test) }

    /// Adds pictures of a series, with files of their names in `/pictures`.
    func add(_ items: [LibraryItem]) throws {
        try write { writer in
            for item in items {
                try writer.put(item, at: [ItemPlace(folder: "/pictures", name: item.facts.fileName)])
            }
        }
    }

    /// The origins of all pictures that a search finds, read in pages.
    func found(_ text: String = "", limit: Int = 100) throws -> [String] {
        let query = try LibraryQuery(text)
        var (origins, position) = ([String](), LibraryPosition?.none)
        repeat {
            let page = try page(query, from: position, limit: limit)
            origins += page.items.map { "\($0.id.origin)" }
            position = page.next
        } while position != nil
        return origins
    }

    /// The lines of ``dump`` without the hashes of all bytes, which only accounts have; in an index they are a cache.
    var content: String {
        get throws {
            try dump.joined(separator: "\n").replacing(#/[0-9a-f]{64}/#, with: "-")
        }
    }

    var dump: [String] {
        get throws {
            var lines: [String] = []
            try eachLine { lines.append($0) }
            return lines
        }
    }
}
#endif
