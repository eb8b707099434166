// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import RecordKit

@Suite("Comma-separated values")
struct CSVTextTests {
    private func read(_ text: String) -> [[String]] {
        let (rows, mistakes) = CSVText.read(Array(text.utf8))
        #expect(mistakes.isEmpty)
        return rows.map(\.cells)
    }

    @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
    func `Files with any line break, and with a byte order mark, are read`(end: String, mark: String) {
        let text = mark + ["a,b", "1,\"x,\"\"y\"\"\"", "", "\"two", "lines\",", "3,é"].joined(separator: end)
        #expect(
            read(text) == [["a", "b"], ["1", "x,\"y\""], ["two\(end)lines", ""], ["3", "é"]])
        #expect(CSVText.read(Array(text.utf8)).rows.map(\.line) == [1, 2, 4, 6])
    }

    @Test func `Semicolons and tabs of spreadsheets are separators`() {
        #expect(read("a;b\n1,5;2") == [["a", "b"], ["1,5", "2"]])
        #expect(read("a\tb\n1\t2") == [["a", "b"], ["1", "2"]])
        #expect(read("") == [] && read("\n\n") == [] && read("a") == [["a"]])
    }

    @Test func `Each mistake has its line, and the lines after it are read`() {
        let text = "a,b\n1,x\"y\n2,\"z\"w\n3,4\n\"open,5\n6,7\n"
        let (rows, mistakes) = CSVText.read(Array(text.utf8))
        #expect(rows.map(\.cells) == [["a", "b"], ["3", "4"], ["6", "7"]])
        #expect(mistakes.map(\.line) == [2, 3, 5])
        #expect(mistakes.map(\.problem).last == "has a quotation mark that is not closed")
    }

    @Test(
        "Other bytes than text are refused",
        arguments: [
            [0xFF, 0xFE, 0x61, 0], Array("a,b\n".utf8) + [0xC3, 0x28], Array("a\u{0}b".utf8), Array("a\rb\n".utf8),
            Array(String(repeating: "a", count: 70_000).utf8), Array(String(repeating: ",", count: 200).utf8),
        ])
    func hostile(bytes: [UInt8]) {
        #expect(CSVText.read(bytes).mistakes.count == 1)
    }

    @Test func `Random bytes never trap, and random values are read as they were written`() {
        var generator = SplitMix(4)
        let characters = Array("a1,;\"'\n\r\t =+-@é😀＝")
        for _ in 0..<2000 {
            let bytes = (0..<40).map { _ in Array(",;\"\n\r\ta=\u{FF}".utf8).randomElement(using: &generator)! }
            _ = CSVText.read(bytes)
            let cells = (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        characters.randomElement(using: &generator)!
                    })
            }
            let text = CSVText.row(["a", "b", "c"]) + CSVText.row(cells.map(CSVText.defused))
            let (rows, mistakes) = CSVText.read(Array(text.utf8))
            #expect(mistakes.isEmpty && rows.last?.cells.map(CSVText.undefused) == cells, "\(cells)")
        }
    }

    @Test func `No value begins a formula`() {
        for text in ["=1+1", "+1 2", "-a", "@SUM(1)", "\t=1", "\r=1", "＝1", "'=1", "''=1", "==", "-"] {
            #expect(CSVText.defused(text) == "'" + text && CSVText.undefused("'" + text) == text)
        }
        for text in ["-5", "+4.5", "a=1", "'a", "", "'", "1"] {
            #expect(CSVText.defused(text) == text && CSVText.undefused(text) == text)
        }
    }
}
