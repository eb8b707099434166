// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import PipelineKit
import Synchronization
import Testing

@Suite("The life cycle of a pipeline", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct PipelineLifeTests {
    @Test("A pipeline plays, pauses and stops, and does not play again after that")
    func states() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        try await pipeline.pause()
        try await pipeline.play()
        try await pipeline.stop()
        #expect(pipeline.state == .null)
        let error = await failure { try await pipeline.play() }
        #expect(error?.code == .stateChange)
        #expect(error?.element == pipeline.name)
        try await pipeline.stop()
    }

    @Test("An element that fails throws its own error")
    func failingSource() async throws {
        let pipeline = try Pipeline("v4l2src device=/dev/nonexistent name=camera ! fakesink")
        let error = try #require(await failure { try await pipeline.play() })
        #expect(error.code == .stream)
        #expect(error.element == "camera")
        #expect(error.domain == "gst-resource-error-quark")
        #expect(error.number == 3)
        #expect(error.message.contains("/dev/nonexistent"))
        #expect(error.debug?.isEmpty == false)
        try await pipeline.stop()
    }

    @Test("A failing sink throws its own error, and no earlier error")
    func failingSink() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! filesink location=/nonexistent/file name=sink")
        try pipeline.element(named: "source").postError("an old one")
        let error = await failure { try await pipeline.play() }
        #expect(error?.element == "sink")
        try await pipeline.stop()
    }

    @Test("The stream of a pipeline can be ended early, even right after play()", arguments: ["true", "false"], 0..<20)
    func endsEarly(isLive: String, round: Int) async throws {
        try await playing("videotestsrc is-live=\(isLive) ! fakesink sync=true") { pipeline in
            try await pipeline.sendEndOfStream()
            try await pipeline.end()
        }
    }

    @Test("A stopped pipeline, and one that cannot play, accept no end of stream")
    func endsNothing() async throws {
        let pipeline = try Pipeline("appsrc ! fakesink")
        try await pipeline.play()
        #expect(await failure { try await pipeline.sendEndOfStream(deadline: .milliseconds(20)) }?.code == .deadline)
        try await pipeline.stop()
        #expect(await failure { try await pipeline.sendEndOfStream() }?.code == .flow)
    }

    @Test("A paused pipeline accepts no end of stream, and can still be stopped")
    func endsNothingPaused() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        #expect(await failure { try await pipeline.sendEndOfStream() }?.code == .flow)
        try await pipeline.pause()
        #expect(await failure { try await pipeline.sendEndOfStream() }?.code == .flow)
        try await pipeline.stop()
    }

    @Test("A probe can stop the pipeline")
    func stopFromProbe() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
        let stopped = Log<Void>()
        try pipeline.sinkPad("sink").probeBuffers { [weak pipeline] _ in
            pipeline?.stopSoon()
            Task {
                try await pipeline?.stop()
                stopped.append()
            }
            return .remove
        }
        try await pipeline.play()
        await stopped.first(1)
        #expect(pipeline.state == .null)
    }

    @Test("A signal handler on a streaming thread, and a listener of the bus, can stop the pipeline")
    func stopFromSignal() async throws {
        let pipeline = try Pipeline("fakesrc ! identity name=i ! fakesink")
        try pipeline.element(named: "i").connect("handoff") { [weak pipeline] _ in
            pipeline?.stopSoon()
            return nil
        }
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        for await _ in messages {}
        try await pipeline.stop()
        #expect(pipeline.state == .null)
    }

    @Test("Many tasks can stop a pipeline at once, and all return after the stop", arguments: 0..<100)
    func stopConcurrently(round: Int) async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        try await pipeline.play()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    try await pipeline.stop()
                    #expect(pipeline.state == .null)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A stop while the pipeline starts to play leaves it stopped", arguments: 0..<20)
    func stopWhilePlaying(round: Int) async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        await withTaskGroup { group in
            for _ in 0..<3 { group.addTask { try? await pipeline.play() } }
            group.addTask { try? await pipeline.stop() }
            group.addTask { pipeline.stopSoon() }
        }
        try await pipeline.stop()
        #expect(pipeline.state == .null)
    }

    @Test("Releasing a playing pipeline stops it in the background")
    func releaseStops() async throws {
        let released = Log<Void>()
        try await play(keeping: Token(released: released))
        await released.first(1)
    }

    private func play(keeping token: Token) async throws {
        let (pipeline, frames) = (try Pipeline("videotestsrc is-live=true ! fakesink name=sink"), Log<Void>())
        try pipeline.sinkPad("sink").probeBuffers { _ in
            token.touch()
            frames.append()
            return .pass
        }
        try await pipeline.play()
        await frames.first(1)
    }

    @Test("Releasing a playing pipeline ends the samples of its sink")
    func releaseEndsSamples() async throws {
        let (sink, messages) = try await readersOfReleasedPipeline()
        for try await _ in sink.samples {}
        for await _ in messages {}
        #expect(try await sink.nextSample() == nil)
    }

    private func readersOfReleasedPipeline() async throws -> (AppSink, BusMessages) {
        let pipeline = try Pipeline("videotestsrc is-live=true ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
        try await pipeline.play()
        return (sink, pipeline.bus.messages())
    }

    @Test("Releasing a playing pipeline ends the wait of a task for a sample")
    func releaseEndsWait() async throws {
        var pipeline: Pipeline? = try Pipeline("appsrc ! appsink name=sink")
        let sink = try AppSink(named: "sink", in: try #require(pipeline), .keepNewest())
        try await pipeline?.play()
        let waiting = Task { try await sink.nextSample() }
        await Task.yield()
        pipeline = nil
        #expect(try await waiting.value == nil)
    }

    @Test("Releasing the last handle on a streaming thread stops the pipeline without waiting there", arguments: 0..<10)
    func releaseInProbe(round: Int) async throws {
        let (last, released) = (Handle(), Log<Void>())
        try await play(until: last, keeping: Token(released: released))
        await released.first(1)
    }

    /// The last handle of a pipeline.
    private final class Handle: Sendable {
        let pipeline = Mutex<Pipeline?>(nil)
    }

    private func play(until last: Handle, keeping token: Token) async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
        try pipeline.sinkPad("sink").probeBuffers { _ in
            token.touch()
            last.pipeline.withLock { $0 = nil }
            return .pass
        }
        try await pipeline.play()
        last.pipeline.withLock { $0 = pipeline }
    }

    @Test("A stop that hangs throws after its deadline")
    func hangingStop() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
        let (entered, gate) = (Log<Void>(), DispatchSemaphore(value: 0))
        try pipeline.sinkPad("sink").probeBuffers { _ in
            entered.append()
            gate.wait()
            // The gate stays open for later frames.
            gate.signal()
            return .pass
        }
        try await pipeline.play()
        await entered.first(1)
        let error = await failure { try await pipeline.stop(deadline: .milliseconds(20)) }
        #expect(error?.code == .deadline)
        #expect(error?.advice != nil)
        // A second call does not report a stop either.
        #expect(await failure { try await pipeline.stop(deadline: .milliseconds(20)) }?.code == .deadline)
        gate.signal()
        try await pipeline.stop()
        #expect(pipeline.state == .null)
    }

    @Test("A deadline beyond the range of the clock never expires")
    func endlessDeadline() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        try await pipeline.play(deadline: .seconds(Int64.max))
        try await pipeline.stop(deadline: .seconds(Int64.max))
    }

    @Test("A pipeline that never played is released without a warning")
    func unused() throws {
        _ = try Pipeline("videotestsrc ! appsink name=sink")
        _ = try Pipeline.make()
    }
}
