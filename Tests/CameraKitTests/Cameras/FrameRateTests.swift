// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import Testing

@Suite("Frame rates")
struct FrameRateTests {
    @Test(
        "Frame rates are parsed in common notations",
        arguments: [
            ("30", "30/1"), ("30/1", "30/1"), ("60/2", "30/1"), ("0.5", "1/2"), ("7.5", "15/2"), ("1/10", "1/10"),
            ("29.97", "30000/1001"), ("59.94", "60000/1001"), ("23.976", "24000/1001"), ("23.98", "24000/1001"),
            ("30.00", "30/1"), ("30000/1001", "30000/1001"), ("29.5", "59/2"),
        ])
    func reading(text: String, rate: String) {
        #expect(FrameRate(text)?.description == rate)
    }

    @Test(
        "Invalid frame rates are refused without a trap",
        arguments: [
            "", "0", "-1", "+1", "1/0", "0/1", "/", "1/", "/1", "1/2/3", "a", "1e3", "1.", ".", "0.0", "1.2345678",
            "9223372036854775807", "9223372036854775807/9223372036854775807000", "99999999999999999999",
            "9223372036854775807.999999", "3000000000", "\u{0}", "３０", "30 ",
        ])
    func refusing(text: String) {
        #expect(FrameRate(text) == nil)
    }

    @Test("Frame rates compare by their value")
    func comparing() throws {
        let ntsc = try #require(FrameRate("29.97"))
        let (slow, fast) = (try #require(FrameRate(25)), try #require(FrameRate(Int(Int32.max))))
        #expect([fast, ntsc, slow].sorted() == [slow, ntsc, fast])
    }

    @Test("The nearest offered frame rate is found")
    func nearest() throws {
        let rates = try ["5", "15", "30"].map { try #require(FrameRate($0)) }
        let offered = FrameRates.discrete(rates)
        #expect(offered.nearest(to: try #require(FrameRate("29.97"))) == rates[2])
        #expect(offered.nearest(to: try #require(FrameRate(10))) == rates[1])
        #expect(FrameRates.unknown.nearest(to: rates[0]) == nil)
        #expect(FrameRates.range(rates[0]...rates[2]).nearest(to: try #require(FrameRate(60))) == rates[2])
        #expect(FrameRates.unknown.contains(rates[0]))
        #expect(!offered.contains(try #require(FrameRate(60))))
    }
}
