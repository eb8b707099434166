// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Testing

@testable import LibraryKit

@Suite("IDs of pictures")
struct ItemIDTests {
    @Test(
        "An ID is read as it is written",
        arguments: [
            "garden-pi.minute-1204", "a.avatar-20261128-101500~3", "b.i-00f5fc8ed01aa34b", "b.my-own-series-1",
            "garden-pi.door-7b09e0~c12", "a.c12~3", "a.-7b09e0-7b09e0~c1",
        ])
    func roundTrip(_ text: String) throws { #expect(try #require(ItemID(text)).description == text) }

    @Test(
        "A text that no program wrote as an ID is none",
        arguments: [
            "", ".", "minute-1", "pi.", "pi.minute", "pi.minute-", "pi.minute-0", "pi.minute-01", "pi.-1",
            "-pi.minute-1",
            "pi.minute-1/2", "pi.../~3", "pi.a~", "pi.a~x", "pi.~3", "pi.minute-9999999999999999", "p_i.minute-1",
            "pi.minute-1\0", "pi.door-7b09e0~c", "pi.door-7b09e0~c0", "pi.door-7b09e0~c01", "pi.door~c1",
            "pi.-7b09e0~c1",
            "pi.door-7B09E0~c1", "pi.door-7b09e~c1", "pi.door-7b09e0~d1", "pi.door-7b09e0~cc1", "pi.door-7b09e0~c1~c2",
            "pi.door-7b09e0~c-1", "pi.door-7b09e0~c1/2", "pi.door-7b09e0~c9999999999999999", "pi.../-7b09e0~c1",
            "pi.mïnute-1", "pi.i-00F5FC8ED01AA34B", String(repeating: "a", count: 300) + ".b-1",
        ])
    func refused(_ text: String) { #expect(ItemID(text) == nil) }

    @Test("The IDs of a clip, of a picture of a run and of a series are different with the same names")
    func unique() throws {
        #expect(try #require(ItemID("a.door-7b09e0~c1")).origin == .clip(list: "door-7b09e0", number: 1))
        #expect(try #require(ItemID("a.door-7b09e0~1")).origin == .session(run: "door-7b09e0", picture: 1))
        #expect(try #require(ItemID("a.door-7b09e0-1")).origin == .series("door-7b09e0", line: 1))
    }

    @Test(
        "The name of a board is that of its host up to the first dot",
        arguments: [
            ("garden-pi", "garden-pi"), ("pi.local", "pi"), ("my_pi", "my-pi"), ("-a-", "a"), ("", "board"),
            ("...", "board"), ("grün", "gr--n"), (String(repeating: "a", count: 80), String(repeating: "a", count: 63)),
        ])
    func board(_ host: String, _ name: String) { #expect(BoardName.named(like: host).description == name) }

    @Test("The mark of a file covers its size, its first and its last bytes")
    func mark() {
        let bytes = (0..<100).map { UInt8($0) }
        let mark = ContentMark(byteCount: 100, head: bytes, tail: [])
        #expect(mark == ContentMark(byteCount: 100, head: bytes, tail: []))
        #expect(mark != ContentMark(byteCount: 101, head: bytes, tail: []))
        #expect(mark != ContentMark(byteCount: 100, head: bytes, tail: [1]))
        #expect(ContentMark(mark.description[...]) == mark && mark.description.utf8.count == 16)
    }
}
#endif
