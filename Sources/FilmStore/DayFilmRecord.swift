// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The pictures that are in complete films, as a file in the hidden folder of the films. Every call blocks.
struct DayFilmRecord: Sendable, Hashable {
    /// The number of the last line in the ledger whose picture is in a complete film.
    var line: Int
    /// Distinguishes the ledger from others at its path.
    var ledger: String
    /// The name of the last complete film.
    var name: String

    private static let mostBytes = 4096

    /// Returns the path of the record of films with this list.
    static func path(list: String) -> String { StillFolder.path(of: list) + "/films.json" }

    /// Reads a record; `nil` if there is none, or it is damaged: films begin with the present day then.
    init?(_ path: String) {
        guard let bytes = try? RegularFile.read(path, most: Self.mostBytes),
            let node = try? JSONNode(String(decoding: bytes, as: UTF8.self), path: "films", levels: 2, mostValues: 8),
            let line = try? node.integer("line", 0...1 << 53), let ledger = try? node.text("ledger"),
            let name = try? node.text("film"), LocalDay(startOf: name) != nil, !name.contains("/")
        else { return nil }
        self.init(line: line, ledger: ledger, name: name)
    }

    init(line: Int, ledger: String, name: String) { (self.line, self.ledger, self.name) = (line, ledger, name) }

    /// Writes the record durably.
    func write(to path: String) throws(CaptureError) {
        let json = JSONValue.object(["line": .integer(line), "ledger": .string(ledger), "film": .string(name)])
        try StillStore(overwrites: true, latest: nil).write(Array((json.text + "\n").utf8), to: path)
    }
}
