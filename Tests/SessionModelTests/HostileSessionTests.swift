// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import SessionModel

@Suite("Hostile sessions")
struct HostileSessionTests {
    @Test(
        "A session that would exhaust the stack, the memory or the time is refused",
        .timeLimit(.minutes(5)), arguments: bombs)
    func exhausting(text: String) {
        #expect(throws: CaptureError.self) { try SessionFile(path: "s.yaml", bytes: Array(text.utf8)) }
    }

    private static let bombs = [
        String(repeating: "[", count: 100_000), "stages: " + String(repeating: "[", count: 120),
        "stages:\n" + String(repeating: "- ", count: 32_000), "stages:\n" + String(repeating: "- a: b\n", count: 9000),
        "stages: [" + String(repeating: "{name: a},", count: 6000) + "]",
        "stages:\n" + (0..<1000).map { "- name: s\($0)\n" }.joined(),
        "gates: [" + String(repeating: "steady,", count: 9000) + "]\nstages: [{name: a}]",
        "stages: &a [*a]", "stages: [&a {name: *a}]", "stages:\n- &a {name: x, gates: *a}",
        "gates: &a [x]\n" + (0..<40).map { "b\($0): &a [*a, *a, *a]\n" }.joined(),
        "stages:\n- name: \"" + String(repeating: "x", count: 60_000) + "\"",
        String(repeating: "é", count: 30_000), String(repeating: "x", count: 70_000),
    ]

    @Test("At most 20 errors of a session are reported")
    func manyMistakes() {
        let text = "stages:\n" + (0..<60).map { "- {name: s\($0), a: b, c: d}\n" }.joined()
        let errors = SessionReader(Array(text.utf8), name: "s", file: "s.yaml").errors
        #expect(errors.count == 20)
    }

    @Test(
        "Reading a shipped session with random damage never traps, and each error is on one line",
        arguments: ShippedSessions.paths)
    func mutations(path: String) throws {
        let original = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var generator = SplitMix(UInt64(original.count))
        for _ in 0..<400 {
            let bytes = original.mutated(&generator)
            do throws(CaptureError) {
                _ = try SessionFile(path: "s.yaml", bytes: bytes)
            } catch {
                #expect(error.code == .configuration)
                #expect(error.description.split(separator: "\n").allSatisfy { $0.hasPrefix("s.yaml:") })
            }
        }
    }

    @Test("Reading random tokens as a session never traps, and the valid sessions can be run")
    func randomSessions() throws {
        let tokens = [
            "stages", "name", "gates", "tutorial", "interval", "camera", "front", "any", "none", "steady", "wait", ": ",
            ":", "\n- ", "- ", "[", "]", "{", "}", ", ", "&a ", "*a", "? ", "| ", "\"", "#", "---", "\n", "\n  ",
            "\n\t",
            "9s", "clip", "audio", "length", "size", "codec", "4M", "-1", "1e99", "nan", "é", "\u{0}", "~", "<<",
            "text", "limit",
        ]
        var generator = SplitMix(11)
        for _ in 0..<4000 {
            let count = Int.random(in: 1...30, using: &generator)
            let text = (0..<count).compactMap { _ in tokens.randomElement(using: &generator) }.joined()
            let file = try? SessionFile(path: "s.yaml", bytes: Array((text + "\nstages: [{name: a}]").utf8))
            guard let session = file?.session else { continue }
            var drive = try SessionDrive(session)
            drive(.begin, .cameraReady(.front), .trigger, .skip, .cancel)
            #expect(drive.machine.phase == .cancelled)
        }
    }

    @Test("Paths that are not regular files are refused without blocking", .timeLimit(.minutes(5)))
    func oddFiles() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.path + "/fifo.yaml", 0o600) == 0)
        for path in [folder.path + "/fifo.yaml", "/dev/zero", folder.path, folder.path + "/none.yaml", "", "a\0b"] {
            let error = #expect(throws: CaptureError.self) { try SessionFile(path: path) }
            #expect(error?.code == .noInput || error?.code == .inputOutput, "\(path)")
            #expect(SessionFile.errors(inFile: path).count == 1)
        }
    }
}
