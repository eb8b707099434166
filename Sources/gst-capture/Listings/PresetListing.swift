// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit
import TerminalKit

/// Formats a preset for the list of presets.
struct PresetListing {
    private let entry: PresetLibrary.Entry

    /// Creates the listing of a preset.
    init(_ entry: PresetLibrary.Entry) { self.entry = entry }

    /// Returns the name, the description or the error, and the path.
    func text(for terminal: Terminal) -> String {
        let padding = String(repeating: " ", count: max(1, 26 - entry.name.count))
        let line =
            switch entry.preset {
            case .success(let preset): preset.description
            case .failure(let error): terminal.styled(error.description, .red)
            }
        return terminal.styled(entry.name, .bold) + padding + line + "\n    " + terminal.styled(entry.path, .dim)
    }

    /// One object for programs.
    var json: JSONValue {
        var (description, failure): (String?, CaptureError?)
        switch entry.preset {
        case .success(let preset): description = preset.description
        case .failure(let error): failure = error
        }
        return .object([
            "name": .string(entry.name), "description": .optional(description), "path": .string(entry.path),
            "error": failure?.json ?? .null,
        ])
    }
}
