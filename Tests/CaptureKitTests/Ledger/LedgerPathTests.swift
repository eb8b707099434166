// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import LedgerKit
import StillKit
import Testing

@Suite("The default path of a ledger")
struct LedgerPathTests {
    @Test(
        "The ledger is in the constant part of the folder, and is named after the rest of the template",
        arguments: [
            ("/srv/garden/%Y-%m-%d/%H%M%S.jpg", "/srv/garden/.gst-capture/%Y-%m-%d+%H%M%S.jpg.ledger"),
            ("%05n.jpg", ".gst-capture/%05n.jpg.ledger"), ("a/b.jpg", "a/.gst-capture/b.jpg.ledger"),
            ("/%n.jpg", "/.gst-capture/%n.jpg.ledger"), ("a%%b/%n.jpg", "a%b/.gst-capture/%n.jpg.ledger"),
            ("x/50%%-%n.jpg", "x/.gst-capture/50%%-%n.jpg.ledger"),
        ])
    func standard(template: String, path: String) throws {
        #expect(Ledger.standardPath(for: try FileNameTemplate(parsing: template)) == path)
    }

    @Test("Characters that a file system refuses are replaced, and the names stay distinct")
    func oddNames() throws {
        let templates = ["%H:%M.jpg", "%H?%M.jpg", "%H+%M/%n.jpg", "%H/%M+%n.jpg", "a\u{1}%n.jpg"]
        let names = try templates.map { try name(of: $0) }
        #expect(Set(names).count == names.count)
        #expect(
            names.allSatisfy { $0.allSatisfy { !"\"*/:<>?\\|".contains($0) && $0.asciiValue.map { $0 >= 32 } ?? true } }
        )
    }

    @Test("Names of ledgers are short enough for the suffixes that SQLite appends", arguments: ["x", "ü", "👨‍👩‍👧‍👦", "%Y/"])
    func longNames(piece: String) throws {
        let long = String(repeating: piece, count: 3000 / piece.utf8.count) + "%n.jpg"
        let parts = long.hasPrefix("%") ? long : "%d" + long
        #expect(try name(of: parts).utf8.count <= 247)
    }

    private func name(of template: String) throws -> String {
        let path = Ledger.standardPath(for: try FileNameTemplate(parsing: template))
        return String(path.split(separator: "/").last ?? "")
    }
}
