// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import OverlayRaster
import Testing

@testable import OverlayCompositor
@testable import PipelineKit

@Suite(.timeLimit(.minutes(2))) struct `The worker of an overlay` {
    private let surface = OverlaySurface()
    private static let frameBytes = 64 * 48 * 3 / 2
    private let events: AsyncStream<OverlayEvent>
    private let continuation: AsyncStream<OverlayEvent>.Continuation
    private let worker: OverlayWorker
    private let clockText = OverlayContents([Layer("clock", .text(TextTemplate("%S {n}")))])

    init() {
        (events, continuation) = AsyncStream.makeStream()
        worker = OverlayWorker(OverlayPlanner(CairoRasterizer()), surface, continuation) {
            // Ends when the worker cancels it: a second passes when a test calls tick().
            try await Task.sleep(for: .seconds(3600))
        }
    }

    private func caps(_ format: String) throws -> Caps {
        try Caps("video/x-raw, format=\(format), width=64, height=48, framerate=1/1")
    }

    /// The events so far, as words.
    private func words() async -> [String] {
        continuation.finish()
        return await events.reduce(into: []) { words, event in
            switch event {
            case .drawn: words.append("drawn")
            case .failed(let layer, let error): words.append("\(layer)/\(error.code)")
            }
        }
    }

    @Test func `emits an event for caps that are not raw video`() async throws {
        surface.setCaps(try Caps("image/jpeg, width=64, height=48"), on: surface.attach())
        await worker.show(clockText)
        await worker.update()
        #expect(await words() == ["/format"])
    }

    @Test func `emits no drawn event after a format that it cannot draw on`() async throws {
        surface.setCaps(try caps("GRAY16_LE"), on: surface.attach())
        await worker.show(clockText)
        #expect(await words() == ["/format"])
    }

    @Test func `emits one event when frames cannot be mapped, however many pass`() async throws {
        let pad = surface.attach()
        surface.setCaps(try caps("I420"), on: pad)
        await worker.show(clockText)
        for _ in 0..<5 { try surface.pass(byteCount: 9, on: pad) }
        await worker.update()
        await worker.update()
        #expect(surface.obstacle != nil)
        for _ in 0..<2 { try surface.pass(byteCount: Self.frameBytes, on: pad) }
        #expect(surface.obstacle == nil)
        await worker.update()
        #expect(await words() == ["drawn", "/format", "drawn"])
    }

    @Test func `draws a clock's seconds while frames pass, and again when they are back`() async throws {
        let pad = surface.attach()
        surface.setCaps(try caps("I420"), on: pad)
        await worker.show(clockText)
        for _ in 0..<5 {
            try surface.pass(byteCount: Self.frameBytes, on: pad)
            await worker.tick()
            #expect(await worker.isClockRunning)
        }
        for _ in 0..<OverlayWorker.mostIdleSeconds { await worker.tick() }
        #expect(await !worker.isClockRunning)

        var wishes = surface.wishes.makeAsyncIterator()
        _ = await wishes.next()
        try surface.pass(byteCount: Self.frameBytes, on: pad)
        _ = await wishes.next()
        await worker.update()
        #expect(await worker.isClockRunning)
        let drawings = 1 + 5 + OverlayWorker.mostIdleSeconds - 1 + 1
        #expect(await words() == Array(repeating: "drawn", count: drawings))
    }

    @Test func `draws no seconds after the overlay was taken off its pad`() async throws {
        surface.setCaps(try caps("I420"), on: surface.attach())
        await worker.show(clockText)
        #expect(await worker.isClockRunning)
        surface.leave()
        await worker.update()
        #expect(await !worker.isClockRunning)
    }

    @Test func `ignores what a probe of an earlier pad says`() throws {
        let first = surface.attach()
        let second = surface.attach()
        surface.setCaps(try caps("I420"), on: second)
        surface.setCaps(try caps("GRAY8"), on: first)
        #expect(surface.frames?.info.format == "I420")
        surface.leave()
        surface.setCaps(try caps("I420"), on: second)
        #expect(surface.frames == nil)
    }

    @Test func `keeps the plan for frames of the same format on the next pad`() async throws {
        surface.setCaps(try caps("I420"), on: surface.attach())
        await worker.show(clockText)
        let before = try #require(surface.frames)
        surface.setCaps(try caps("I420"), on: surface.attach())
        #expect(surface.frames == before)
    }
}

extension OverlaySurface {
    /// Draws on a buffer like the probe of a pad.
    fileprivate func pass(byteCount: Int, on attachment: Int) throws {
        let buffer = try Buffer([UInt8](repeating: 0, count: byteCount))
        var probed = ProbedBuffer(gst_buffer_ref(buffer.pointer))
        draw(on: &probed, of: attachment)
        gst_buffer_unref(probed.relinquish())
    }
}
