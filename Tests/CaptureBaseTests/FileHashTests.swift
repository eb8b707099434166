// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite("Hashes of files as text")
struct FileHashTests {
    @Test("The digits of a hash are read in both cases, and each of them matters")
    func reading() {
        let digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        #expect(FileHash(digits) != nil && FileHash(digits) == FileHash(digits.uppercased()))
        for index in 0..<64 {
            var other = Array(digits)
            other[index] = other[index] == "f" ? "0" : "f"
            #expect(FileHash(String(other)) != FileHash(digits))
        }
    }

    @Test(
        "Text that is not a hash is refused",
        arguments: [
            "", "0", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "g", count: 64), "+" + String(repeating: "0", count: 63),
            "-" + String(repeating: "0", count: 63), String(repeating: "0", count: 63) + " ",
            String(repeating: "é", count: 32),
        ])
    func refusing(text: String) {
        #expect(FileHash(text) == nil)
    }
}
