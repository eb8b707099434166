// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// A preset as the list shows it.
struct PresetListing {
    private let entry: PresetLibrary.Entry

    /// Describes a preset that was found.
    init(_ entry: PresetLibrary.Entry) { self.entry = entry }

    /// The name, what it is for or what is wrong with it, and where it is.
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
