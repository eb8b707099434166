// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import Testing

@testable import gst_capture

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "Timestamps are ISO 8601 with milliseconds and zone",
        arguments: [
            (0, 0, 0, "1970-01-01T00:00:00.000+00:00"),
            (1_709_164_800, 999_999_999, 0, "2024-02-29T00:00:00.999+00:00"),
            (1_735_689_599, 1_000_000, 3600, "2025-01-01T00:59:59.001+01:00"),
            (1_735_689_600, 0, -34200, "2024-12-31T14:30:00.000-09:30"), (-1, 0, 0, "1969-12-31T23:59:59.000+00:00"),
        ] as [(Int64, Int32, Int, String)])
    func iso(seconds: Int64, nanoseconds: Int32, offset: Int, text: String) {
        let time = WallTime(seconds: seconds, nanoseconds: nanoseconds, utcOffset: offset)
        #expect(Timestamp.iso8601(time) == text)
    }

    @Test(
        "The days of timestamps agree with Foundation's calendar",
        arguments: Array(stride(from: -4_000_000_000, to: 8_000_000_000, by: 186_399_123)))
    func calendar(seconds: Int) {
        let time = WallTime(seconds: Int64(seconds), nanoseconds: 0, utcOffset: 0)
        let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast()
        #expect(Timestamp.iso8601(time) == expected + ".000+00:00")
    }

    @Test("The earliest and the latest time can be printed", arguments: [Int64.min, .max])
    func extremes(seconds: Int64) {
        let time = WallTime(seconds: seconds, nanoseconds: 0, utcOffset: .max)
        #expect(Timestamp.iso8601(time).hasSuffix("+23:59"))
    }
}
