// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import ServiceKit

@Suite("Cursor of a list of pictures", .timeLimit(.minutes(2)))
struct StillCursorTests {
    @Test("The cursor of up to 512 series is read as it was written, and fits into an address")
    func text() throws {
        for count in Array(stride(from: 1, to: 512, by: 13)) + [512] {
            let lines = Dictionary(
                uniqueKeysWithValues: (0..<count).map { index in
                    (
                        "\(String(repeating: "s", count: 60))\(index)",
                        1 + Int.random(in: 0..<1 << Int.random(in: 0...34))
                    )
                })
            let cursor = StillCursor(lines: lines)
            let text = cursor.description
            #expect(text.utf8.count <= StillCursor.mostBytes)
            let read = try #require(StillCursor(text))
            #expect(read == cursor && read.description == text)
            for (series, line) in lines { #expect(read.line(of: series) == line) }
            #expect(read.line(of: "other") == nil)
        }
    }

    @Test(
        "A text that is no cursor is refused",
        arguments: [
            "", ".", "first", "first-1.second-2", "AAAAAAA", "AAAAAAA=", "AAAAAAAA\u{0}", "AAAAAAAB ", "AAAAAACA",
            "AAAAAACAAA", "AAAAAAD_____", "////////", "é", String(repeating: "A", count: 8000),
            // The same series twice, and two in the wrong order.
            "AAAAAAEBAAAAAAEB", "AAAAAgEAAAAAAQE",
        ])
    func invalid(text: String) { #expect(StillCursor(text) == nil) }

    @Test("Any text is refused or is the only text of its cursor, and lines stay in their range")
    func random() {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for round in 0..<20_000 {
            var text = String((0..<Int.random(in: 1...40)).map { _ in digits.randomElement() ?? "A" })
            if round % 2 == 0 {
                // A cursor with one other digit is closer to the limits.
                var changed = Array(
                    StillCursor(lines: ["a": .random(in: 1...Int.max), "b": .random(in: 1...1000)]).description)
                changed[Int.random(in: changed.indices)] = digits.randomElement() ?? "A"
                text = String(changed)
            }
            guard let cursor = StillCursor(text) else { continue }
            #expect(cursor.description == text)
        }
    }
}
