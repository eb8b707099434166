// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import Testing

@Suite("Hostile presets")
struct HostilePresetTests {
    @Test(
        "Presets that would exhaust the stack, the memory or the time are refused at once",
        .timeLimit(.minutes(5)), arguments: deep + wide + [expanding] + odd)
    func bombs(text: String) {
        #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
    }

    private static let deep = [
        String(repeating: "[", count: 100_000), String(repeating: "[", count: 60_000),
        String(repeating: "{a: ", count: 16_000), String(repeating: "a: [\n", count: 10_000),
        String(repeating: "- ", count: 32_000), String(repeating: "? ", count: 32_000),
        String(repeating: "- ", count: 100) + "#", indented(300), indented(300, lineBreak: "\r"),
    ]

    private static let wide = [
        "a: \"" + String(repeating: "x\n", count: 32_000), String(repeating: "a:\n", count: 21_000),
        String(repeating: "'\n", count: 32_000), String(repeating: "x\n", count: 32_000),
        "{" + String(repeating: "x,", count: 32_000) + "}", String(repeating: "!", count: 60_000),
        String(repeating: "\u{301}", count: 30_000), String(repeating: "é", count: 30_000),
    ]

    private static let expanding = "a: &a [x]\n" + (0..<40).map { "b\($0): &a [*a, *a, *a]\n" }.joined()

    private static let odd = [
        "a: &a [*a]", "<<: *a", "--- a\n--- b", "%YAML 9.9\n---\nwidth: 3", "width: !!binary aGk=\nx: !<tag:x> y",
    ]

    private static func indented(_ depth: Int, lineBreak: String = "\n") -> String {
        (0..<depth).map { String(repeating: " ", count: $0) + "a:" + lineBreak }.joined()
    }

    @Test("Aliases within bounds are harmless, even as keys")
    func aliases() {
        let text = """
            a: &a [x,x,x,x]
            b: &b [*a,*a,*a,*a]
            c: &c [*b,*b,*b,*b]
            d: &d [*c,*c,*c,*c]
            ? *d
            : 1
            """
        #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
    }

    @Test("The worst preset within bounds needs little stack")
    func smallStack() async {
        let text = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        let nested = Self.indented(64) + String(repeating: " ", count: 64)
        await withCheckedContinuation { done in
            let thread = Thread {
                _ = try? Preset(path: "p", bytes: Array((nested + text).utf8))
                _ = try? Preset(path: "p", bytes: Array(("? " + text + "\n: 1").utf8))
                done.resume()
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }

    @Test("Shipped presets with random damage never trap", arguments: ShippedPresets.paths)
    func mutations(path: String) throws {
        let original = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            let bytes = Self.damaged(original, &random)
            do throws(CaptureError) {
                _ = try Preset(path: "p.yaml", bytes: bytes)
            } catch {
                #expect(error.code == .configuration)
                #expect(error.description.split(separator: "\n").allSatisfy { $0.hasPrefix("p.yaml:") })
            }
        }
    }

    private static func damaged(_ original: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = original
        let hostile = Array(":-[]{}\"'#&*!|>%@`,?\n\t \0=~<\r".utf8) + [0xFF, 0xC3, 0x80, 0xED]
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let other = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = .random(in: 0...255, using: &random)
            case 1: bytes[index] = hostile.randomElement(using: &random) ?? 0
            case 2: bytes.insert(hostile.randomElement(using: &random) ?? 0, at: index)
            case 3: bytes.removeSubrange(index..<min(bytes.count - 1, index + 20))
            case 4: bytes.insert(contentsOf: bytes[min(index, other)...max(index, other)].prefix(200), at: index)
            default: bytes.swapAt(index, other)
            }
        }
        return bytes
    }

    @Test("Random sequences of YAML tokens never trap")
    func randomYAML() {
        let tokens = [
            "width", "source", "controls", "lock", "until", ": ", ":", "- ", "? ", "[", "]", "{", "}", ", ", "&a ",
            "*a",
            "! ", "!!str ", "!<x> ", "| ", ">-", "\"", "'", "\\x0", "#", " # ", "---", "...", "%YAML 1.2", "\n", "\n  ",
            "\n\t", "\r\n", "640", "é", "\u{FEFF}", "\u{85}", "<<", "=", "~", "\u{0}", "\u{1F600}",
        ]
        for _ in 0..<4000 {
            let text = (0..<Int.random(in: 1...30)).compactMap { _ in tokens.randomElement() }.joined()
            _ = try? Preset(path: "p.yaml", bytes: Array(text.utf8))
        }
    }

    @Test("A path that is not a regular file is refused without waiting", .timeLimit(.minutes(5)))
    func oddFiles() throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path + "/fifo.yaml"
        try #require(mkfifo(fifo, 0o600) == 0)
        try folder.link("loop.yaml", to: "loop.yaml")
        let paths = [
            fifo, "/dev/zero", "/dev/tty", folder.path, folder.path + "/loop.yaml", folder.path + "/none.yaml", "",
            "/proc/self/mem", "a\0b", folder.path + "/" + String(repeating: "x", count: 5000),
        ]
        for path in paths {
            let error = #expect(throws: CaptureError.self) { try Preset(path: path) }
            #expect(error?.code == .noInput || error?.code == .inputOutput, "\(path)")
        }
    }

    @Test("A file that is too large is refused without reading all of it")
    func largeFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("large.yaml", "")
        try #require(truncate(path, 1 << 40) == 0)
        let error = #expect(throws: CaptureError.self) { try Preset(path: path) }
        #expect(error?.message == "is larger than 64 KiB, the limit of a preset")
    }
}
