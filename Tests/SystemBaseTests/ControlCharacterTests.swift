// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

@Suite struct `Text without control characters` {
    @Test(arguments: [
        ("\u{1B}[31mred\u{1B}[0m", " [31mred [0m"), ("a\nb\tc\0d", "a b c d"), ("\u{7F}\u{80}\u{9B}2J\u{9F}", "   2J "),
        ("\u{1B}]0;title\u{7}", " ]0;title "), ("", ""),
    ])
    func `Sequences for a terminal lose their control characters`(text: String, result: String) {
        #expect(text.withoutControls == result)
    }

    @Test func `Each of the 65 control characters becomes one space, also two that Swift counts as one character`() {
        let controls = (0...0x9F).filter { $0 < 0x20 || $0 > 0x7E }.compactMap(UnicodeScalar.init)
        #expect(controls.count == 65)
        for control in controls { #expect("a\(control)b".withoutControls == "a b") }
        #expect("a\r\nb".withoutControls == "a  b")
    }

    @Test(arguments: ["Caméra", "e\u{301}", "カメラ", "👩‍🔬 👨‍👩‍👧", "\u{A0}\u{FEFF}\u{FFFD}", "מצלמה", "~ !"])
    func `All other text stays unchanged, in each scalar`(text: String) {
        #expect(Array(text.withoutControls.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test func `Text decoded from invalid UTF-8 loses its control characters, too`() {
        let text = String(decoding: [0x41, 0xFF, 0x1B, 0x42, 0xC2] as [UInt8], as: UTF8.self)
        #expect(text.withoutControls == "A\u{FFFD} B\u{FFFD}")
    }
}
