// Part of gst-capture. Apache License 2.0, see LICENSE.

import TerminalKit
import Testing

@testable import gst_capture

@Suite("Numbers as text")
struct WordingTests {
    @Test(
        "Sizes are printed with three digits",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1250, "1.25 kB"), (999_499, "999 kB"), (999_600, "1 MB"),
            (1_200_000_000, "1.20 GB"), (83_300_000_000, "83.3 GB"), (Int.max, "9.22 EB"),
        ])
    func bytes(count: Int, text: String) {
        #expect(Wording.bytes(count) == text)
    }

    @Test(
        "Durations are printed with two units at most",
        arguments: [
            (Duration.zero, "0 ms"), (.milliseconds(-5), "0 ms"), (.microseconds(1500), "2 ms"),
            (.milliseconds(999), "999 ms"),
            (.microseconds(999_900), "1 s"), (.milliseconds(3240), "3.2 s"), (.milliseconds(59_960), "1 min"),
            (.seconds(245), "4 min 05 s"), (.seconds(7800), "2 h 10 min"), (.seconds(86400 * 3 + 4 * 3600), "3 d 04 h"),
        ])
    func spans(span: Duration, text: String) {
        #expect(Wording.span(span) == text)
    }

    @Test("The longest duration can be printed")
    func longest() {
        #expect(Wording.span(.seconds(Int64.max)).hasSuffix("h"))
    }

    @Test(
        "Offsets are printed with a sign",
        arguments: [
            (Duration.milliseconds(4), "+4 ms"), (.zero, "+0 ms"), (.microseconds(-3600), "-4 ms"),
        ])
    func offsets(offset: Duration, text: String) {
        #expect(Wording.offset(offset) == text)
    }
}
