// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import ServiceModel

@Suite("Hostile service configurations")
struct HostileConfigurationTests {
    private static let valid = """
        listen: [127.0.0.1:8080, "[::1]:0"]
        cameras:
          garden:
            camera: scene
            overlay: [face, {grid: thirds, color: red}]
            series:
              minute: { interval: 1m, output: "/srv/%Y/%H%M%S.jpg" }
        sessions:
          avatar: { camera: garden, output: /srv }
        """

    @Test(
        "A file that is no configuration is refused",
        arguments: [
            "[", "{", "\u{0}", "- a", "cameras: [a, b]", "cameras: {a: [b]}", "cameras: {a: {series: [b]}}",
            "cameras: {a: {series: {s: [b]}}}", "cameras: {[a]: {}}", "cameras: {a: {[b]: 1}}",
            "cameras: &a {b: *a}", "listen: {a: b}", "listen: []", "listen: [127.0.0.1:1, 127.0.0.1:1]",
            "cameras: {\"\": {}}", "cameras: {\(String(repeating: "a", count: 65)): {}}", "cameras: {\"a\\u0000\": {}}",
            "cameras: {a: {preset: [b, c]}}", "cameras: {a: {preset: {b: c}}}", "cameras: {..: {}}",
            "cameras: {a: {preset: ../../../../etc/passwd}}", "cameras: {a: {preset: /dev/zero}}",
            "sessions: [a]", "cameras: {a: {}}\nsessions: {s: [b]}", "cameras: {a: {}}\nsessions: {s: {session: [a]}}",
            "cameras: {a: {}}\nsessions: {s: {session: /dev/zero, output: /srv}}",
            "cameras: {a: {}}\nsessions: {\"..\": {output: /srv}}",
            "cameras: {a: {}}\nsessions: {avatar: {output: \"/srv\\0\"}}",
            "cameras: {a: {}}\nmqtt: here", "cameras: {a: {}}\nmqtt: {}", "cameras: {a: {}}\nmqtt: {broker: http://a}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://\"}", "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a:0\"}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a b\"}", "cameras: {a: {}}\nmqtt: {broker: \"mqtt://[::1\"}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", topic: \"a/#\"}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", topic: \"/a\"}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", ca: /a}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtts://a\", key: /a}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", password-file: /a}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", user: a, password-file: a}",
            "cameras: {a: {}}\nmqtt: {broker: \"mqtt://a\", broker: \"mqtt://a\"}",
            String(repeating: "[", count: 10_000), String(repeating: "a: ", count: 30_000),
            "cameras:\n" + String(repeating: " ", count: 2000) + "a: 1",
        ])
    func refused(text: String) {
        let error = #expect(throws: CaptureError.self) {
            try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
        }
        #expect(error?.code == .configuration)
        #expect(error?.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" } == false)
    }

    @Test("Cut off, changed and repeated bytes are read or refused, and never trap", arguments: 0..<40)
    func mutated(seed: UInt64) {
        var random = SplitMix(seed)
        for _ in 0..<25 {
            var bytes = Array(Self.valid.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(index...)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(contentsOf: bytes[..<index], at: index)
                default: bytes[index] = Array("[]{}:,\"'&*!|>%@-".utf8).randomElement(using: &random) ?? 0
                }
                if bytes.isEmpty { bytes = [0] }
            }
            _ = try? ServiceConfiguration(path: "serve.yaml", bytes: bytes)
        }
    }

    @Test(
        "A name, or a short form of an address, is refused with the remedy",
        arguments: [
            "example.org:80", "127.0.0.1.example.org:80", ":8080", "[localhost]:80", "127.1:80", "0x7f000001:80",
            "[fe80::1%eth0]:80", "*:80", "[127.0.0.1]:80", "::1:80",
        ])
    func namedAddress(text: String) {
        let error = #expect(throws: CaptureError.self) { try ListenAddress(parsing: text) }
        #expect(error?.message.hasSuffix("is not an address of a machine") == true)
        #expect(error?.advice?.contains("127.0.0.1") == true)
    }

    @Test(
        "An address that other machines reach is not local",
        arguments: [
            ("0.0.0.0:8080", false), ("192.168.1.5:8080", false), ("[::]:8080", false), ("[fe80::1]:80", false),
            ("128.0.0.1:80", false), ("[::ffff:127.0.0.1]:80", false), ("127.0.0.1:80", true), ("127.9.9.9:80", true),
            ("[::1]:80", true), ("localhost:80", true), ("unix:/run/serve.sock", true),
        ])
    func reach(text: String, isLocal: Bool) throws {
        #expect(try ListenAddress(parsing: text).isLocal == isLocal)
    }

    @Test(
        "A text that is no address is refused",
        arguments: [
            "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:1e3",
            "127.0.0.1:999999999999999999999", "unix:", "unix:relative", "unix:/\(String(repeating: "a", count: 107))",
            "unix:/a\u{0}b", "http://127.0.0.1:8080", "127.0.0.1:８０",
        ])
    func noAddress(text: String) {
        #expect(throws: CaptureError.self) { try ListenAddress(parsing: text) }
    }

    @Test(
        "An address reads as it is written",
        arguments: [
            ("127.0.0.1:0", "http://127.0.0.1:0"), ("127.8.9.1:80", "http://127.8.9.1:80"),
            ("localhost:8080", "http://localhost:8080"), ("[::1]:8080", "http://[::1]:8080"),
            ("unix:/run/a.sock", "unix:/run/a.sock"),
        ])
    func address(text: String, description: String) throws {
        #expect(try ListenAddress(parsing: text).description == description)
    }
}
