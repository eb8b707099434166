// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Clock and times", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct ClockTests {
    @Test("The running time of a live frame plus the base time is its time on the clock")
    func liveFrame() async throws {
        let pipeline = try Pipeline(
            "videotestsrc is-live=true ! video/x-raw,framerate=100/1 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
        #expect(pipeline.baseTime == nil)
        let before = PipelineClock.system.now
        try await playing(pipeline) { pipeline in
            // A sample can be taken before its arrival is recorded; with the second one, the first is recorded.
            _ = try await sink.nextSample()
            let sample = try #require(try await sink.nextSample())
            let taken = try #require(sample.runningTime) + (try #require(pipeline.baseTime) - .zero)
            let arrival = try #require(sink.lastArrival)
            let now = PipelineClock.system.now
            #expect(before <= taken && taken <= now + .milliseconds(20))
            #expect(before <= arrival && arrival <= now)
        }
    }

    @Test("Readings of the clock never decrease")
    func monotonic() {
        let moments = (0..<1000).map { _ in PipelineClock.system.now }
        #expect(moments == moments.sorted())
    }

    @Test("The clock is the system's monotonic clock")
    func system() {
        let earlier = ClockTime.now
        let moment = PipelineClock.system.now
        #expect(earlier <= moment && moment <= ClockTime.now)
    }

    @Test("A fraction has a decimal value, which is 0 for a denominator of 0")
    func fractions() {
        #expect(Fraction(30, 4).doubleValue == 7.5)
        #expect(Fraction(1, 0).doubleValue == 0)
        #expect(Fraction(30000, 1001).description == "30000/1001")
    }
}
