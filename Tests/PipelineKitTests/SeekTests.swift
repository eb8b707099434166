// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Queries and seeks` {
    /// Ten frames a second, as fast as the sink takes them.
    private func film(_ options: String = "") throws -> (pipeline: Pipeline, sink: AppSink) {
        let pipeline = try Pipeline(
            "videotestsrc name=source \(options) ! video/x-raw,width=16,height=16,framerate=10/1 ! appsink name=sink sync=false"
        )
        return (pipeline, try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1)))
    }

    private func tenths(_ count: Int) -> ClockTime { ClockTime(nanoseconds: UInt64(count) * 100_000_000) }

    @Test func `A stream has a duration, a position and a range for seeks`() async throws {
        let (pipeline, sink) = try film("num-buffers=30")
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            #expect(pipeline.duration == tenths(30))
            #expect(pipeline.seekableRange?.start == .zero)
            #expect(try pipeline.element(named: "source").position != nil)
        }
    }

    @Test func `An element without a stream has neither position nor duration, and cannot seek`() throws {
        let sink = try Element.make("fakesink")
        #expect(sink.position == nil)
        #expect(sink.duration == nil)
        #expect(sink.seekableRange == nil)
        #expect(try Element.make("videotestsrc").latency == nil)
    }

    @Test func `A live source has a latency of at least a frame`() async throws {
        let pipeline = try Pipeline(
            "videotestsrc is-live=true ! video/x-raw,width=16,height=16,framerate=10/1 ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            let latency = try #require(pipeline.latency)
            #expect(latency.isLive)
            #expect(latency.minimum >= tenths(1))
            if let maximum = latency.maximum { #expect(maximum >= latency.minimum) }
        }
    }

    @Test func `After a seek, the next sample is that of the new position`() async throws {
        let (pipeline, sink) = try film()
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            for position in [50, 10, 0] {
                try await pipeline.seek(to: tenths(position), [.flush, .accurate])
                #expect(try await sink.nextSample()?.buffer?.presentationTime == tenths(position))
            }
        }
    }

    @Test func `A seek with an end plays up to that end`() async throws {
        let (pipeline, sink) = try film()
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            try await pipeline.seek(to: tenths(10), until: tenths(13), [.flush, .accurate])
            var times: [ClockTime?] = []
            for try await sample in sink.samples { times.append(sample.buffer?.presentationTime) }
            #expect(times == [10, 11, 12].map(tenths))
        }
    }

    @Test func `At a negative rate, the stream plays backward from the position`() async throws {
        let (pipeline, sink) = try film()
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            try await pipeline.seek(to: tenths(20), rate: -1, [.flush, .accurate])
            var times: [ClockTime] = []
            for _ in 0..<4 { times.append(try #require(try await sink.nextSample()?.buffer?.presentationTime)) }
            #expect(times == times.sorted(by: >))
            #expect(times.allSatisfy { $0 <= tenths(20) && $0 > tenths(10) })
        }
    }

    @Test(
        arguments: [
            (10, 5, 1.0), (5, 10, -1.0), (0, nil, 0.0), (0, nil, .nan), (0, nil, .infinity), (0, nil, -.infinity),
        ] as [(Int, Int?, Double)])
    func `A seek with limits in the wrong order or an invalid rate throws`(
        start: Int, end: Int?, rate: Double
    ) async throws {
        let (pipeline, sink) = try film()
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            let error = await failure {
                try await pipeline.seek(to: tenths(start), until: end.map { tenths($0) }, rate: rate)
            }
            #expect(error?.code == .seek)
        }
    }

    @Test(arguments: [1.0, -1.0])
    func `A seek to the largest times is accepted or refused without a critical`(rate: Double) async throws {
        let (pipeline, sink) = try film()
        let last = ClockTime(nanoseconds: .max)
        try await playing(pipeline) { pipeline in
            _ = try await sink.nextSample()
            let error = await failure { try await pipeline.seek(to: last, until: last, rate: rate) }
            #expect(error == nil || error?.code == .seek)
        }
    }

    @Test func `A stream that cannot seek throws`() async throws {
        let pipeline = try Pipeline("appsrc name=source ! fakesink")
        let source = try AppSource(named: "source", in: pipeline)
        try await pipeline.play()
        try source.push(Buffer([1], presentationTime: .zero))
        #expect(await failure { try await pipeline.seek(to: .zero) }?.code == .seek)
        try await pipeline.stop()
        #expect(await failure { try await pipeline.seek(to: .zero) }?.code == .seek)
    }

    @Test func `A seek waits for data no longer than its deadline`() async throws {
        let pipeline = try Pipeline("appsrc ! fakesink")
        try await pipeline.play()
        let error = await failure { try await pipeline.seek(to: .zero, deadline: .milliseconds(20)) }
        #expect(error?.code == .deadline)
        try await pipeline.stop()
    }

    @Test func `A paused pipeline seeks only with a flush`() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        try await pipeline.pause()
        #expect(await failure { try await pipeline.seek(to: .zero, []) }?.code == .seek)
        try await pipeline.seek(to: tenths(10))
        try await pipeline.stop()
    }
}
