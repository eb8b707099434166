// Part of gst-capture. Apache License 2.0, see LICENSE.

import LedgerKit
import StillKit

extension LedgerPlace {
    /// Creates the place of the ledger for pictures with these names: in the part of their folder that stays the same.
    init(for template: FileNameTemplate) {
        let (folder, rest) = template.fixedFolder
        self.init((folder == "." ? "" : Self.folder(folder)) + Self.folderName + "/" + Self.name(for: rest))
    }
}

extension FileNameTemplate {
    /// The folder before the first field, and the rest of the template.
    package var fixedFolder: (folder: String, rest: String) {
        let fixed = parts.first.map { if case .text(let text) = $0 { text } else { "" } } ?? ""
        guard let slash = fixed.lastIndex(of: "/") else { return (".", written(parts)) }
        let folder = slash == fixed.startIndex ? "/" : String(fixed[..<slash])
        return (folder, written([.text(String(fixed[fixed.index(after: slash)...]))] + parts.dropFirst()))
    }

    private func written(_ parts: [Part]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text.replacing("%", with: "%%")
            case .time(let field): field
            case .sequence(let width): width > 0 ? "%0\(width)n" : "%n"
            }
        }.joined()
    }
}
