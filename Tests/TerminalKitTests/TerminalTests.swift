// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import TerminalKit

@Suite("Terminals")
struct TerminalTests {
    @Test(
        "Characters beyond ASCII are printed only in a UTF-8 locale",
        arguments: [
            ([:], false), (["LANG": "C"], false), (["LANG": "de_DE.UTF-8"], true), (["LANG": "en_GB.utf8"], true),
            (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true),
        ] as [([String: String], Bool)])
    func unicode(environment: [String: String], isUnicode: Bool) {
        #expect(Terminal(.error) { environment[$0] }.isUnicode == isUnicode)
    }

    @Test("A file is not a terminal: no line is drawn, and no text is colored")
    func file() {
        let terminal = Terminal(StandardStream(descriptor: -1)) { $0 == "TERM" ? "xterm" : nil }
        #expect(!terminal.isLive && !terminal.hasColor)
        #expect(terminal.styled("text", .red) == "text")
        #expect(terminal.columns == 80)
    }
}
