// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import Testing

@testable import RecordKit

@Suite("The content of records")
struct RecordContentTests {
    static let hash = String(repeating: "a1", count: 32)

    static func blob(_ hash: String = hash) throws -> RecordBlob {
        try #require(RecordBlob(sha256: hash, byteCount: 1000, width: 640, height: 360))
    }

    @Test("A content is read from its text")
    func roundTrip() throws {
        let file = try Self.blob()
        let origin = RecordPicture.Origin(
            file, outline: "card", adjustment: CropAdjustment(moveX: 0.12345, moveY: -1, zoom: 1.5, turn: -2.5))
        let content = RecordContent(
            values: ["name": "Ann \"A\" O’Neil 😀", "notes": "two\nlines"],
            sides: ["front": RecordPicture(file, origin: origin), "back": RecordPicture(file)])
        #expect(try RecordContent(content.json.text, path: "test") == content)
        #expect(try RecordContent(RecordContent().json.text, path: "test") == RecordContent())
    }

    @Test(
        "A damaged text is refused",
        arguments: [
            "", "[]", "{", #"{"fields": []}"#, #"{"fields": {"a": {}}}"#, #"{"sides": {"front": 1}}"#,
            #"{"sides": {"front": {"blob": {"sha256": "xyz", "bytes": 1, "width": 1, "height": 1}}}}"#,
            #"{"sides": {"front": {"blob": {"sha256": "\#(hash)", "bytes": -1, "width": 1, "height": 1}}}}"#,
            #"{"sides": {"front": {"blob": {"sha256": "\#(hash)", "bytes": 1, "width": 1, "height": 100000}}}}"#,
            #"{"sides": {"front": {"blob": {"sha256": "\#(hash)", "bytes": 1, "width": 1, "height": 1}, "origin": {"outline": "card"}}}}"#,
            "{\"fields\": " + String(repeating: "{\"a\":", count: 100) + "1" + String(repeating: "}", count: 101),
        ])
    func hostile(text: String) {
        #expect(throws: CaptureError.self) { try RecordContent(text, path: "test") }
    }

    @Test("An ID is a UUID in lower case")
    func ids() {
        let ids = Set((0..<1000).map { _ in RecordID.random() })
        #expect(ids.count == 1000 && ids.allSatisfy { RecordID($0.description) == $0 })
        for text in [
            "", "x", "0A000000-0000-4000-8000-000000000000", "0a000000-0000-4000-8000-00000000000",
            "0a000000-0000-4000-8000-00000000000é",
        ] {
            #expect(RecordID(text) == nil, "\(text)")
        }
    }

    @Test("A part is read from its text")
    func parts() {
        for part in [RecordPart.field("name"), .side("front")] { #expect(RecordPart(part.description) == part) }
        for text in ["", "field", "field:", "other:name", ":"] { #expect(RecordPart(text) == nil) }
    }

    @Test("A part of a content is read and changed")
    func subscripting() throws {
        var content = RecordContent()
        content[.field("name")] = .text("Ann")
        content[.side("front")] = .picture(RecordPicture(try Self.blob()))
        content[.field("other")] = .picture(RecordPicture(try Self.blob()))
        #expect(content.parts == [.field("name"), .side("front")])
        content[.side("front")] = nil
        #expect(content == RecordContent(values: ["name": "Ann"]))
    }
}
