// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

@testable import ServeKit

@Suite("Parts of files")
struct ByteRangeTests {
    @Test(
        "A part is the bytes that RFC 9110 names",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-", 500..<1000), ("bytes=999-", 999..<1000),
            ("bytes=-1", 999..<1000), ("bytes=-500", 500..<1000), ("bytes=-5000", 0..<1000), ("bytes=0-5000", 0..<1000),
            ("BYTES=1-2", 1..<3), ("bytes=0-99999999999999999999999", 0..<1000),
            ("bytes=-99999999999999999999999", 0..<1000),
        ])
    func part(_ field: String, _ bytes: Range<Int>) {
        #expect(ByteRange(field, of: 1000) == .part(bytes))
    }

    @Test(
        "A part behind the end has no bytes",
        arguments: [
            "bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=99999999999999999999-",
            "bytes=9223372036854775807-9223372036854775807",
        ])
    func behind(_ field: String) {
        #expect(ByteRange(field, of: 1000) == .unsatisfiable)
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", of: 0) == .unsatisfiable)
    }

    @Test(
        "Anything else is the whole file",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=0-1,5-6", "bytes=0--1",
            "bytes=+1-2",
            "bytes= 0-1", "bytes=0-1 ", "items=0-1", "bytes=1", "bytes=0-1-2", "bytes=٣-٤", "=0-1", "bytes==0-1",
            "\u{0}",
        ])
    func whole(_ field: String?) {
        #expect(ByteRange(field, of: 1000) == .whole)
    }

    @Test("Any text gives bytes of the file, or none")
    func hostile() {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("bytes=-0123456789,. \u{FF10}")
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 0...24, using: &generator)).map { _ in letters.randomElement() ?? "=" }
            let length = Int.random(in: 0...3, using: &generator) * 500
            guard case .part(let bytes) = ByteRange("bytes=" + String(tail), of: length) else { continue }
            #expect(!bytes.isEmpty && bytes.lowerBound >= 0 && bytes.upperBound <= length, "\(tail)")
        }
    }
}
#endif
