// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Blocked and idle pads` {
    private let pipeline: Pipeline
    private let source: Element
    private let pad: Pad
    private let arrived = Log<Void>()

    init() throws {
        pipeline = try Pipeline("videotestsrc name=source is-live=true ! identity name=filter ! fakesink name=sink")
        source = try pipeline.element(named: "source")
        pad = try #require(source.pad("src"))
        try pipeline.sinkPad("sink").probeBuffers { [arrived] _ in
            arrived.append()
            return .pass
        }
    }

    @Test func `A blocked pad holds data back until its block ends`() async throws {
        let block = try pad.block()
        try await playing(pipeline) { _ in
            #expect(await block.waitUntilHolding())
            #expect(block.isHolding)
            #expect(pad.isBlocked)
            #expect(arrived.items.isEmpty)
            block.end()
            #expect(!block.isHolding)
            #expect(!pad.isBlocked)
            await arrived.first(1)
            block.end()
        }
        #expect(await !block.waitUntilHolding())
    }

    @Test func `The release of the handle of a block unblocks the pad`() async throws {
        try await playing(pipeline) { _ in
            try await holdOnce()
            let before = arrived.items.count
            await arrived.waiting { $0.count > before }
        }
    }

    /// Blocks the pad at an item, and releases the handle.
    private func holdOnce() async throws {
        let block = try pad.block()
        #expect(await block.waitUntilHolding())
    }

    @Test func `A block in the closure of a probe on the same pad ends with that probe`() async throws {
        try await playing(pipeline) { _ in
            try keepBlockInProbe().remove()
            await arrived.first(2)
        }
    }

    private func keepBlockInProbe() throws -> PadProbe {
        let block = try pad.block()
        return try pad.probeEvents(.upstream) { _ in
            withExtendedLifetime(block) {}
            return .pass
        }
    }

    @Test func `A block at buffers lets events pass`() async throws {
        let segments = Log<Void>()
        try pipeline.sinkPad("sink").probeEvents { event in
            if case .segment = event { segments.append() }
            return .pass
        }
        let block = try pad.block(at: .buffer)
        try await playing(pipeline) { _ in
            #expect(await block.waitUntilHolding())
            #expect(segments.items.count == 1)
            #expect(arrived.items.isEmpty)
            block.end()
            await arrived.first(1)
        }
    }

    @Test func `The body of a block runs once, before the wait for the block ends`() async throws {
        let ran = Log<Void>()
        let block = try pad.block { ran.append() }
        try await playing(pipeline) { _ in
            #expect(await block.waitUntilHolding())
            #expect(ran.items.count == 1)
            block.end()
            await arrived.first(3)
        }
        #expect(ran.items.count == 1)
    }

    @Test func `A blocked pad does not delay a stop`() async throws {
        let block = try pad.block()
        try await pipeline.play()
        #expect(await block.waitUntilHolding())
        try await pipeline.stop()
        #expect(pipeline.state == .null)
        block.end()
    }

    @Test func `A cancellation, or the end of the pad, ends the wait for a block`() async throws {
        var sink: Element? = try Element.make("fakesink")
        let block = try #require(sink?.pad("sink")).block()
        let canceled = Task { await block.waitUntilHolding() }
        canceled.cancel()
        #expect(await canceled.value == false)
        let waiting = Task { await block.waitUntilHolding() }
        sink = nil
        #expect(await waiting.value == false)
        block.end()
    }

    @Test(arguments: ["appsrc ! fakesink name=sink", "( appsrc ! fakesink name=sink )"])
    func `A stop of the pipeline ends the wait for a block without data, and later waits`(
        description: String
    ) async throws {
        let pipeline = try Pipeline(description)
        let block = try pipeline.sinkPad("sink").block(at: .buffer)
        try await pipeline.play()
        let waiting = Task { await block.waitUntilHolding() }
        await Task.yield()
        try await pipeline.stop()
        #expect(await waiting.value == false)
        #expect(await !block.waitUntilHolding())
        block.end()
    }

    @Test func `A block that holds an item holds it after a stop, too`() async throws {
        let block = try pad.block()
        try await pipeline.play()
        #expect(await block.waitUntilHolding())
        try await pipeline.stop()
        #expect(block.isHolding)
        #expect(await block.waitUntilHolding())
        block.end()
        #expect(!block.isHolding)
        #expect(!pad.isBlocked)
    }

    @Test func `An element behind a blocked pad can be replaced while the pipeline plays`() async throws {
        let (old, sink) = try (pipeline.element(named: "filter"), pipeline.element(named: "sink"))
        let passed = Log<Void>()
        try await playing(pipeline) { pipeline in
            await arrived.first(1)
            let block = try pad.block()
            #expect(await block.waitUntilHolding())
            source.unlink(from: old)
            old.unlink(from: sink)
            pipeline.remove(old)
            let new = try Element.make("identity", name: "new")
            try #require(new.pad("sink")).probeBuffers { _ in
                passed.append()
                return .pass
            }
            try pipeline.add(new)
            try new.link(to: sink)
            #expect(new.followPipeline())
            try source.link(to: new)
            block.end()
            await passed.first(2)
            let before = arrived.items.count
            await arrived.waiting { $0.count > before }
        }
    }

    private func whenIdle(_ pad: Pad, _ ran: Log<Void>, _ token: Token) throws -> PadProbe {
        try pad.whenIdle {
            token.touch()
            ran.append()
        }
    }

    @Test func `An idle probe runs at once on an idle pad, and never again`() async throws {
        let (ran, released) = (Log<Void>(), Log<Void>())
        let probe = try whenIdle(pad, ran, Token(released: released))
        #expect(ran.items.count == 1)
        #expect(released.items.count == 1)
        #expect(!pad.isBlocked)
        probe.remove()
        try await playing(pipeline) { _ in _ = await arrived.first(2) }
        #expect(ran.items.count == 1)
    }

    @Test func `An idle probe on a busy pad runs after the current item, and data flows again`() async throws {
        let (ran, released) = (Log<Void>(), Log<Void>())
        let block = try pipeline.sinkPad("sink").block(at: .buffer)
        try await playing(pipeline) { _ in
            // The push of the source does not return before the sink's pad is free.
            #expect(await block.waitUntilHolding())
            _ = try whenIdle(pad, ran, Token(released: released))
            #expect(ran.items.isEmpty)
            block.end()
            await ran.first(1)
            await released.first(1)
            let before = arrived.items.count
            await arrived.waiting { $0.count > before }
        }
        #expect(ran.items.count == 1)
    }

    @Test func `An idle probe that is removed before it runs does not run`() async throws {
        let (ran, released) = (Log<Void>(), Log<Void>())
        let block = try pipeline.sinkPad("sink").block(at: .buffer)
        try await playing(pipeline) { _ in
            #expect(await block.waitUntilHolding())
            try whenIdle(pad, ran, Token(released: released)).remove()
            await released.first(1)
            block.end()
            await arrived.first(3)
        }
        #expect(ran.items.isEmpty)
    }
}
