// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "Durations are parsed in common notations",
        arguments: [
            ("5", .seconds(5)), ("0", .zero), ("0.5", .milliseconds(500)), ("500ms", .milliseconds(500)),
            ("5s", .seconds(5)), ("2m", .seconds(120)), ("2h", .seconds(7200)), ("1d", .seconds(86400)),
            ("1h30m", .seconds(5400)), ("1.5h", .seconds(5400)), ("250us", .microseconds(250)),
            ("0.001us", .nanoseconds(1)), ("1d12h0.5s", .seconds(129600) + .milliseconds(500)), ("007s", .seconds(7)),
            ("1.000000000000s", .seconds(1)), ("0.1d", .seconds(8640)),
        ] as [(String, Duration)])
    func reading(text: String, duration: Duration) throws {
        #expect(try Duration(parsing: text) == duration)
    }

    @Test(
        "Invalid durations are refused without a trap",
        arguments: [
            "", " ", "s", "ms", "-1", "-5s", "+5s", "5x", "5 s", "1m2h", "1s1s", "1h30", "30 1h", ".5", "5.", "1..5",
            "1.5.5s", "0.0001us", "0.0000000001", "9223372036.854775808", "99999999999999999999", "300y", "1000000d",
            "18446744073709551615us", "18446744073.709551616s", "１s", "5S", "\u{0}", "1e9", "0x10", "5s\n", "µs", "1ns",
            String(repeating: "9", count: 10_000), String(repeating: "1s", count: 10_000), "nan", "inf",
        ])
    func refusing(text: String) {
        #expect(throws: CaptureError.self) { try Duration(parsing: text) }
    }

    @Test("The error of an invalid duration states the mistake and gives examples")
    func errors() {
        let error = #expect(throws: CaptureError.self) { try Duration(parsing: "5 minutes") }
        #expect(error?.description == #""5 minutes" is not a time; give one such as 500ms, 5s, 2m, 1h30m or 1d"#)
        #expect(error?.code == .usage)
    }

    @Test(
        "Durations are written in the shortest form",
        arguments: [
            (.zero, "0s"), (.seconds(5), "5s"), (.seconds(90), "1m30s"), (.seconds(5400), "1h30m"),
            (.milliseconds(500), "500ms"), (.milliseconds(1500), "1.5s"), (.microseconds(1250), "1.25ms"),
            (.nanoseconds(1), "0.001us"), (.seconds(86400), "1d"), (.seconds(-90), "-1m30s"),
            (.seconds(60) + .nanoseconds(1), "1m0.001us"), (.seconds(Int64.max), "106751d23h47m16.854775807s"),
        ] as [(Duration, String)])
    func writing(duration: Duration, text: String) {
        #expect(duration.shortText == text)
    }

    @Test(
        "A clock shows whole seconds, and hours only if there are some",
        arguments: [
            (.zero, "0:00"), (.milliseconds(1499), "0:01"), (.milliseconds(59_500), "1:00"), (.seconds(754), "12:34"),
            (.seconds(3723), "1:02:03"), (.seconds(-5), "0:00"), (.seconds(Int64.max), "2562047:47:17"),
        ] as [(Duration, String)])
    func clock(duration: Duration, text: String) {
        #expect(duration.clockText == text)
    }

    @Test("A written duration is parsed as the same value")
    func roundTrip() throws {
        var random = SplitMix(1)
        for bits in 0..<63 {
            let duration = Duration.nanoseconds(Int64.random(in: 0...(1 << bits), using: &random))
            #expect(try Duration(parsing: duration.shortText) == duration)
        }
    }
}
