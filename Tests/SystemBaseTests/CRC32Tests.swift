// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

@Suite struct `The checksum of a ZIP file` {
    @Test(arguments: [("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43)] as [(String, UInt32)])
    func `The checksum of a text is the known one`(_ text: String, _ value: UInt32) {
        #expect(CRC32.checksum(Array(text.utf8)) == value)
    }

    @Test func `Parts of any size make the same checksum`() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for size in [1, 7, 8, 9, 64, 999] {
            var sum = CRC32()
            for start in stride(from: 0, to: bytes.count, by: size) {
                sum.add(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(sum.value == CRC32.checksum(bytes))
        }
    }
}
