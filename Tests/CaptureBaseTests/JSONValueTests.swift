// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import Testing

@Suite("JSON")
struct JSONValueTests {
    @Test(
        "Any string is encoded as JSON, and decoded as the same string",
        arguments: [
            "", "plain", "with \"quotes\" and \\ back\\slashes\\", "line\nfeed\r\ttab", "\u{0}\u{1}\u{1F}\u{7F}",
            "\u{80}\u{85}\u{9F}\u{A0} \u{2028}\u{2029} \u{FFFD}\u{FFFE}\u{FFFF}",
            "Grüße 📷 \u{2028}", String(decoding: [0x61, 0xFF, 0xC3, 0x28], as: UTF8.self),
        ])
    func strings(text: String) throws {
        let json = JSONValue.object(["text": .string(text)]).text
        #expect(!json.contains("\n"), "one object a line")
        #expect(!json.unicodeScalars.contains { $0 == "\u{85}" || $0 == "\u{2028}" }, "YAML reads them as line ends")
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        #expect(read == ["text": text])
    }

    @Test(
        "Numbers in JSON have up to three decimal places",
        arguments: [
            (0.0, "0"), (4.0, "4"), (-4.25, "-4.25"), (0.1 + 0.2, "0.3"), (-0.0004, "0"), (29.97002997, "29.97"),
            (1234.5678, "1234.568"), (.infinity, "null"), (.nan, "null"),
        ])
    func numbers(value: Double, text: String) {
        #expect(JSONValue.number(value).text == text)
    }

    @Test("Very large numbers are valid JSON")
    func large() throws {
        let json = JSONValue.array([.number(1e300), .number(-1e18), .integer(.min)]).text
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [NSNumber]
        #expect(read?.map(\.doubleValue) == [1e300, -1e18, Double(Int.min)])
    }

    @Test("Members of an object keep their order, and members without a value are omitted")
    func order() {
        let object = JSONValue.object([
            "b": .bool(true), "gone": nil, "a": .null, "list": .array([.integer(1), .null]),
        ])
        #expect(object.text == #"{"b":true,"a":null,"list":[1,null]}"#)
    }
}
