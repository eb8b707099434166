// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Testing

@testable import gst_capture

@Suite("Lines of requests")
struct RequestLineTests {
    private func lines(_ parts: String..., most: Int = 8) -> [String] {
        var splitter = LineSplitter(most: most)
        let lines = parts.flatMap { splitter.add($0.utf8) } + splitter.finish()
        return lines.map { line in
            switch line {
            case .success(let text): text
            case .failure(let error): "error: \(error.message)"
            }
        }
    }

    @Test("A request line can arrive in parts, and several lines at once")
    func parts() {
        #expect(lines("{\"a\"", ":1}\n{}\n\n  \n", "[]\n") == ["{\"a\":1}", "{}", "[]"])
    }

    @Test("The last request line needs no line break")
    func last() {
        #expect(lines("{}\n[]") == ["{}", "[]"])
        #expect(lines("{}\n") == ["{}"])
        #expect(lines("") == [])
    }

    @Test("A request line that is too long is an error, and the next one is read")
    func long() {
        #expect(
            lines("123456789\n12345678\n123456789") == [
                "error: is longer than 8 bytes", "12345678", "error: is longer than 8 bytes",
            ])
    }

    @Test("A request line that is not UTF-8 is an error")
    func bytes() {
        var splitter = LineSplitter(most: 8)
        let lines = splitter.add([0xFF, 0x0A])
        #expect(lines.count == 1 && lines.allSatisfy { if case .failure = $0 { true } else { false } })
    }
}
