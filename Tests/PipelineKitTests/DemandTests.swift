// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Demand of a source` {
    @Test func `A producer that waits for demand fills the queue up to its limit, and loses nothing`() async throws {
        let pipeline = try Pipeline("appsrc name=source max-bytes=4 ! appsink name=sink sync=false")
        let source = try AppSource(named: "source", in: pipeline, caps: Caps("x/y"))
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        let levels = Log<UInt64>()
        try await playing(pipeline) { _ in
            let producing = Task {
                for number in 0..<100 {
                    #expect(try await source.waitForDemand())
                    try source.push(Buffer(Array(repeating: UInt8(number), count: 4)))
                    levels.append(try source.element.get("current-level-bytes"))
                }
                try source.endStream()
                #expect(try await !source.waitForDemand())
            }
            var numbers: [UInt8?] = []
            for try await sample in sink.samples { numbers.append(try sample.buffer?.bytes().first) }
            try await producing.value
            #expect(numbers == Array(0..<100))
        }
        // The limit plus the size of the buffer that exceeded it.
        #expect(levels.items.allSatisfy { $0 <= 8 })
    }

    /// A paused pipeline whose sink holds the first buffer: the queue of its source takes one more, and stays full.
    private func blocked() async throws -> (pipeline: Pipeline, source: AppSource) {
        let pipeline = try Pipeline("appsrc name=source max-bytes=1 ! fakesink name=sink")
        let source = try AppSource(named: "source", in: pipeline)
        let arrived = Log<Void>()
        try pipeline.sinkPad("sink").probeBuffers { _ in
            arrived.append()
            return .pass
        }
        try await pipeline.pause()
        #expect(try await source.waitForDemand())
        try source.push(Buffer([1]))
        await arrived.first(1)
        return (pipeline, source)
    }

    @Test func `A source whose queue is full has no demand, and other handlers of its signals still run`() async throws
    {
        let (pipeline, source) = try await blocked()
        let full = Log<Void>()
        try source.element.connect("enough-data") { _ in
            full.append()
            return nil
        }
        var pushed = 0
        while full.items.isEmpty, try await source.waitForDemand() {
            try source.push(Buffer([1]))
            pushed += 1
        }
        #expect(pushed == 2)
        let waiting = Task { try await source.waitForDemand() }
        try await pipeline.stop()
        #expect(try await waiting.value == false)
    }

    @Test func `A source that is stopped has no demand, although its queue is empty`() async throws {
        let (pipeline, source) = try await blocked()
        for _ in 0..<2 { try source.push(Buffer([1])) }
        // The sink comes first because it blocks the thread of the source.
        try await pipeline.setState(of: pipeline.element(named: "sink"), to: .ready)
        try await pipeline.setState(of: source.element, to: .ready)
        let waiting = Task { try await source.waitForDemand() }
        try await pipeline.stop()
        #expect(try await waiting.value == false)
    }

    @Test func `A cancellation ends the wait for demand`() async throws {
        let (pipeline, source) = try await blocked()
        for _ in 0..<2 { try source.push(Buffer([1])) }
        let waiting = Task { try await source.waitForDemand() }
        waiting.cancel()
        #expect(try await waiting.value == false)
        try await pipeline.stop()
    }

    @Test func `The release of the pipeline ends the wait for demand`() async throws {
        #expect(try await waitingForReleasedPipeline().value == false)
    }

    private func waitingForReleasedPipeline() async throws -> Task<Bool, any Error> {
        let (pipeline, source) = try await blocked()
        for _ in 0..<2 { try source.push(Buffer([1])) }
        let waiting = Task { try await source.waitForDemand() }
        await Task.yield()
        withExtendedLifetime(pipeline) {}
        return waiting
    }

    @Test func `An error of the pipeline ends the wait for demand with that error`() async throws {
        let (pipeline, source) = try await blocked()
        for _ in 0..<2 { try source.push(Buffer([1])) }
        let waiting = Task { try await source.waitForDemand() }
        await Task.yield()
        try pipeline.element(named: "sink").postError("broken")
        #expect(await failure { try await waiting.value }?.message == "broken")
        try await pipeline.stop()
    }
}
