// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

@Suite struct `A moment on the clock` {
    @Test func `Readings of the monotonic clock never decrease`() {
        let moments = (0..<1000).map { _ in ClockTime.now }
        #expect(moments == moments.sorted())
        #expect(moments[0] > .zero)
    }

    @Test func `Sums and differences of times are clamped to the range of the clock`() {
        let time = ClockTime(nanoseconds: 1_500_000_000)
        #expect(time + .milliseconds(500) == ClockTime(nanoseconds: 2_000_000_000))
        #expect(time - .seconds(1) == ClockTime(nanoseconds: 500_000_000))
        #expect(time - .seconds(2) == .zero)
        #expect(.zero - time == .milliseconds(-1500))
        #expect(time - .zero == .milliseconds(1500))
        let end = ClockTime(nanoseconds: .max)
        #expect(end + .seconds(1) == ClockTime(nanoseconds: UInt64(Int64.max)))
        #expect(end - .seconds(Int64.max) == .zero)
        #expect(time + .seconds(Int64.min) == .zero)
        #expect(time < end)
    }

    @Test func `The extremes of times and durations never trap`() {
        let times = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max].map(ClockTime.init(nanoseconds:))
        let spans: [Duration] = [
            .zero, .nanoseconds(1), .nanoseconds(-1), .nanoseconds(Int64.min), .nanoseconds(Int64.max),
            .seconds(Int64.max), .seconds(-Int64.max),
        ]
        let range = ClockTime.zero...ClockTime(nanoseconds: UInt64(Int64.max))
        for time in times {
            for span in spans { #expect(range.contains(time + span) && range.contains(time - span)) }
            for other in times { #expect((time - other) + (other - time) == .zero) }
        }
        #expect(times[0] - times[4] == .nanoseconds(-Int64.max))
    }

    @Test(arguments: [
        (7, "0.000000007"), (1_500_000_000, "1.500000000"), (0, "0.000000000"), (999_999_999, "0.999999999"),
        (12_040_000_000, "12.040000000"), (UInt64.max, "18446744073.709551615"),
    ])
    func `The text of a moment has seconds with nine digits`(nanoseconds: UInt64, text: String) {
        #expect(ClockTime(nanoseconds: nanoseconds).description == text)
    }

    @Test func `A duration in nanoseconds is clamped to 64 bits`() {
        #expect(Duration.milliseconds(-3).nanoseconds == -3_000_000)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(
            Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 900_000_000_000_000_000).nanoseconds == .max
        )
        #expect(
            Duration(secondsComponent: -9_223_372_036, attosecondsComponent: -900_000_000_000_000_000).nanoseconds
                == .min)
    }

    @Test func `A part of a nanosecond is dropped, and the largest exact duration is kept`() {
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanoseconds == 1)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999).nanoseconds == -1)
        #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
        #expect(Duration.nanoseconds(Int64.min).nanoseconds == .min)
    }
}
