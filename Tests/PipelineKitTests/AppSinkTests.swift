// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("AppSink", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct AppSinkTests {
    @Test("keepNewest drops the oldest samples, and never makes the pipeline wait")
    func keepNewest() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=10 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest(3))
        try await playing(pipeline) { pipeline in
            try await pipeline.end()
            #expect(sink.arrivalCount == 10)
            var offsets: [UInt64?] = []
            for try await sample in sink.samples { offsets.append(sample.buffer?.offset) }
            #expect(offsets == [7, 8, 9])
            #expect(sink.isAtEnd)
        }
    }

    @Test("waitWhenHolding drops no sample, and the pipeline waits")
    func waitWhenHolding() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=50 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(2))
        try await playing(pipeline) { _ in
            var offsets: [UInt64?] = []
            for try await sample in sink.samples {
                offsets.append(sample.buffer?.offset)
                #expect(sink.arrivalCount <= offsets.count + 3)
            }
            #expect(offsets == Array(0..<50))
        }
    }

    @Test(
        "An AppSink with a limit of zero or less keeps one sample",
        arguments: [AppSink.Policy.keepNewest(0), .keepNewest(-5), .waitWhenHolding(0)])
    func smallest(policy: AppSink.Policy) throws {
        let pipeline = try Pipeline("fakesrc ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: pipeline, policy)
        #expect(try sink.element.get("max-buffers") == 1)
    }

    @Test("A missing element, and an element that is not an appsink or an appsrc, throw")
    func errors() throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink name=sink")
        #expect(failure { try AppSink(named: "nowhere", in: pipeline, .keepNewest()) }?.code == .notFound)
        #expect(failure { try AppSink(named: "sink", in: pipeline, .keepNewest()) }?.element == "sink")
        #expect(failure { try AppSource(named: "source", in: pipeline) }?.code == .notFound)
    }

    @Test("A task that waits before the pipeline plays gets the first sample")
    func waitsBeforePlay() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=3 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        #expect(!sink.isAtEnd)
        #expect(sink.takeSample() == nil)
        #expect(sink.lastArrival == nil)
        let waiting = Task {
            var count = 0
            for try await _ in sink.samples { count += 1 }
            return count
        }
        await Task.yield()
        let count = try await playing(pipeline) { _ in try await waiting.value }
        #expect(count == 3)
    }

    @Test("A stop ends the wait for a sample, and every later wait")
    func stopEnds() async throws {
        let pipeline = try Pipeline("appsrc ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
        try await playing(pipeline) { pipeline in
            let waiting = Task { try await sink.nextSample() }
            await Task.yield()
            try await pipeline.stop()
            #expect(try await waiting.value == nil)
        }
        #expect(try await sink.nextSample() == nil)
        let late = try AppSink(named: "sink", in: pipeline, .keepNewest())
        #expect(try await late.nextSample() == nil)
    }

    @Test("The error of an element ends the samples, after the samples that arrived before it")
    func failingElement() async throws {
        // The source sends an end of stream after the error, too.
        let pipeline = try Pipeline("videotestsrc ! identity name=filter error-after=3 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        try await playing(pipeline) { _ in
            var offsets: [UInt64?] = []
            let error = await failure { for try await sample in sink.samples { offsets.append(sample.buffer?.offset) } }
            #expect(error?.code == .stream)
            #expect(error?.element == "filter")
            #expect(offsets == [0, 1])
        }
    }

    @Test("An error without an end of stream reaches every task that waits for a sample, and every later one")
    func errorAlone() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
        try await playing(pipeline) { pipeline in
            let waiting = (0..<3).map { _ in Task { try await sink.nextSample() } }
            await Task.yield()
            try pipeline.element(named: "source").postError("first")
            try pipeline.element(named: "source").postError("second")
            for task in waiting { #expect(await failure { try await task.value }?.message == "first") }
            #expect(await failure { try await sink.nextSample() }?.message == "first")
        }
        #expect(await failure { try await sink.nextSample() }?.message == "first")
    }

    @Test("Canceling a task that waits for a sample does not affect the next task")
    func cancellation() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(4))
        let source = try AppSource(named: "source", in: pipeline, caps: Caps("x/y"))
        try await playing(pipeline) { _ in
            for number in 0..<20 {
                let canceled = Task { try await sink.nextSample() }
                if number.isMultiple(of: 2) { await Task.yield() }
                canceled.cancel()
                #expect(try await canceled.value == nil)
                let next = Task { try await sink.nextSample() }
                try source.push(Buffer([UInt8(number)]))
                let bytes = try await next.value?.buffer?.bytes()
                #expect(bytes == [UInt8(number)])
            }
        }
    }

    @Test("If several tasks wait, each sample goes to one of them, and none is lost")
    func several() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=200 ! video/x-raw,width=16,height=16 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(3))
        try await playing(pipeline) { _ in
            let counts = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var offsets: [UInt64] = []
                        for try await sample in sink.samples { offsets.append(sample.buffer?.offset ?? .max) }
                        return offsets
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(counts.sorted() == Array(0..<200))
        }
    }

    @Test("Pushed buffers arrive with their caps and times")
    func appSource() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(4))
        let source = try AppSource(named: "source", in: pipeline, caps: Caps("x/first"))
        try await playing(pipeline) { _ in
            try source.push(Buffer([1, 2], presentationTime: ClockTime(nanoseconds: 9), duration: .zero))
            try source.push(Sample(Buffer([3]), caps: Caps("x/second")))
            try source.endStream()
            let first = try #require(try await sink.nextSample())
            #expect(try first.buffer?.bytes() == [1, 2])
            #expect(try first.caps == Caps("x/first"))
            #expect(first.buffer?.presentationTime == ClockTime(nanoseconds: 9))
            #expect(first.runningTime == ClockTime(nanoseconds: 9))
            let second = try #require(try await sink.nextSample())
            #expect(try second.caps == Caps("x/second"))
            #expect(try await sink.nextSample() == nil)
            let late = failure { try source.push(Buffer([4])) }
            #expect(late?.code == .flow)
            #expect(late?.element == "source")
        }
        #expect(failure { try source.push(Buffer([5])) }?.code == .flow)
        #expect(failure { try source.push(Sample(Buffer([5]), caps: Caps("x/y"))) }?.code == .flow)
        #expect(failure { try source.endStream() }?.code == .flow)
    }

    @Test("The first sample after a change of format has the caps of the new format")
    func renegotiation() async throws {
        let pipeline = try Pipeline(
            "appsrc name=source ! videoscale ! capsfilter name=size ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        let source = try AppSource(
            named: "source", in: pipeline, caps: Caps("video/x-raw,format=GRAY8,width=64,height=64,framerate=0/1"))
        let frame = try Buffer(Array(repeating: 128, count: 64 * 64))
        try await playing(pipeline) { pipeline in
            for width in [32, 48, 16] {
                try pipeline.element(named: "size").set("caps", to: "video/x-raw,width=\(width)")
                try source.push(frame)
                let sample = try #require(try await sink.nextSample())
                let info = try #require(sample.caps?.videoInfo)
                #expect(info.width == width)
                #expect(
                    try sample.buffer?.withVideoFrame(info) { $0.withPlane(0) { _, layout in layout.rowBytes } }
                        == width)
            }
        }
    }
}
