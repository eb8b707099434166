// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// Formats a session for the list of sessions.
struct SessionListing {
    private let entry: SessionLibrary.Entry

    /// Creates the listing of a session.
    init(_ entry: SessionLibrary.Entry) { self.entry = entry }

    /// Returns the name, the purpose or the error, and the path.
    func text(for terminal: Terminal) -> String {
        let padding = String(repeating: " ", count: max(1, 26 - entry.name.count))
        let line =
            switch entry.file {
            case .success(let file):
                "\(file.session.purpose.isEmpty ? file.session.title : file.session.purpose)"
                    + " (\(Wording.count(file.session.pictureCount, "picture")))"
            case .failure(let error): terminal.styled(error.description, .red)
            }
        return terminal.styled(entry.name, .bold) + padding + line + "\n    " + terminal.styled(entry.path, .dim)
    }

    /// One object for programs.
    var json: JSONValue {
        var (session, failure): (SessionDescription?, CaptureError?)
        switch entry.file {
        case .success(let file): session = file.session
        case .failure(let error): failure = error
        }
        return .object([
            "name": .string(entry.name), "title": .optional(session?.title), "purpose": .optional(session?.purpose),
            "pictures": session.map { .integer($0.pictureCount) } ?? .null, "path": .string(entry.path),
            "error": failure?.json ?? .null,
        ])
    }
}
