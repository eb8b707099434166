// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import OverlayCompositor

@Suite struct `A text template` {
    @Test(arguments: [
        ("plain", "plain"), ("{stage}: {n} of 4", "front: 2 of 4"), ("{unknown}", "{unknown}"),
        ("{}{ }{a b}", "{}{ }{a b}"),
        ("{{stage}}", "{front}"), ("{stage", "{stage"), ("", ""), ("100 {sign}", "100 %H"), ("%%", "%"),
        ("Ω {stage} 日本", "Ω front 日本"),
    ])
    func `A text template fills in the values of its placeholders`(source: String, shown: String) {
        let values = ["stage": "front", "n": "2", "sign": "%H"]
        #expect(TextTemplate(source).text(at: 0, values) == shown)
    }

    @Test func `A text template shows the time`() {
        #expect(TextTemplate("%s").text(at: 1_700_000_000, [:]) == "1700000000")
        #expect(TextTemplate("%s").showsTime)
        #expect(!TextTemplate("{countdown}").showsTime)
    }

    @Test func `A verbatim text template is shown unchanged`() {
        let template = TextTemplate(verbatim: "100 %H {countdown}")
        #expect(template.text(at: 0, ["countdown": "3"]) == "100 %H {countdown}")
        #expect(!template.showsTime && template.placeholders.isEmpty)
    }

    @Test(arguments: [
        "%999999999d", "%", "%E", "%0100000000Y", "{" + String(repeating: "{", count: 5000), "\u{0}%H\u{0}",
    ])
    func `A text template is filled in with bounded length`(source: String) {
        #expect(TextTemplate(source).text(at: .max, [:]).utf8.count <= max(source.utf8.count, 4096))
        #expect(TextTemplate(source).text(at: 0, [:]).utf8.count <= max(source.utf8.count, 4096))
    }
}
