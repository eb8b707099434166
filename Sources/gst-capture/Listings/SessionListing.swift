// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// A session as the list shows it.
struct SessionListing {
    private let entry: SessionLibrary.Entry

    /// Describes a session that was found.
    init(_ entry: SessionLibrary.Entry) { self.entry = entry }

    /// The name, what it is for or what is wrong with it, and where it is.
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
