// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit
import TerminalKit

/// Formats an outline for the list of outlines.
struct OutlineListing {
    private let entry: OutlineLibrary.Entry

    /// Creates the listing of an outline.
    init(_ entry: OutlineLibrary.Entry) { self.entry = entry }

    /// Returns the name, the title and the path.
    func text(for terminal: Terminal) -> String {
        let padding = String(repeating: " ", count: max(1, 16 - entry.name.count))
        let title = entry.title.map { padding + $0 } ?? ""
        return terminal.styled(entry.name, .bold) + title + "\n    " + terminal.styled(entry.path, .dim)
    }

    /// One object for programs.
    var json: JSONValue {
        .object(["name": .string(entry.name), "title": .optional(entry.title), "path": .string(entry.path)])
    }
}
