// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite("Text from drivers")
struct FixedTextTests {
    @Test("A driver's text ends at the first NUL, or at the end of the array")
    func ends() {
        let open: (UInt8, UInt8, UInt8, UInt8) = (0x41, 0x42, 0x43, 0x44)
        let closed: (UInt8, UInt8, UInt8, UInt8) = (0x41, 0x42, 0, 0x44)
        #expect(FixedText.read(open) == "ABCD")
        #expect(FixedText.read(closed) == "AB")
    }

    @Test("A driver's text is safe for a terminal, even with hostile bytes")
    func hostile() {
        #expect(FixedText.clean([0x1B, 0x5B, 0x33, 0x31, 0x6D, 0x0A]) == "[31m")
        #expect(FixedText.clean([0x41, 0xFF, 0x42]) == "A\u{FFFD}B")
        #expect(FixedText.clean([0x41, 0xC3]) == "A\u{FFFD}")
        #expect(FixedText.clean(" Caméra \t".utf8) == "Caméra")
    }
}
