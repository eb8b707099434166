// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite("Byte sizes as text")
struct ByteSizeTests {
    @Test(
        "Byte sizes are parsed in common notations",
        arguments: [
            ("0", 0), ("1B", 1), ("500MB", 500_000_000), ("2GB", 2_000_000_000), ("1.5 GB", 1_500_000_000),
            ("64MiB", 64 << 20), ("1kib", 1024), ("0.5KiB", 512), ("1tb", 1_000_000_000_000), ("007 b", 7),
            ("0.0000001B", 0), ("0.035kB", 35), ("1.001kB", 1001),
            ("0.999999999999999999PB", 999_999_999_999_999), ("8PiB", 8 << 50), ("9000PB", 9_000_000_000_000_000_000),
        ])
    func reading(text: String, size: Int) throws {
        #expect(try ByteSize.parse(text) == size)
    }

    @Test(
        "Invalid byte sizes are refused without a trap",
        arguments: [
            "", " ", "5", "500", "-1MB", "+1MB", ".5GB", "5.GB", "1..5GB", "1.5.5GB", "GB", "1G", "1GBs", "1 G B",
            "1e9B",
            "0x10B", "nanB", "infMB", "10000PB", "9223372036854775808B", "99999999999999999999PB", "9.9EB", "１MB",
            "1\u{0}MB", "1MB\n", String(repeating: "9", count: 10_000) + "B",
            "0." + String(repeating: "9", count: 100) + "B",
            "1" + String(repeating: " ", count: 10_000), "1M\u{301}B",
        ])
    func refusing(text: String) {
        #expect(throws: InvalidValue.self) { try ByteSize.parse(text) }
    }

    @Test("A share of a disk is a percentage below 100 %")
    func shares() throws {
        #expect(try ByteSize.parseShare("10%") == 0.1)
        #expect(try ByteSize.parseShare("0%") == 0)
        #expect(try ByteSize.parseShare("2.5%") == 0.025)
        #expect(try ByteSize.parseShare("10MB") == nil)
        for text in ["%", "-1%", "100%", "1e1%", "nan%", "10%%", "1 %", ".5%", "99999999999999999999%"] {
            #expect(throws: InvalidValue.self) { try ByteSize.parseShare(text) }
        }
    }
}
