// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc
import OverlayRaster
import Synchronization
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
            // Ends when the worker cancels it: tests call tick() for each second.
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

    @Test func `The worker emits an error for caps that are not raw video`() async throws {
        surface.setCaps(try Caps("image/jpeg, width=64, height=48"), on: surface.attach())
        await worker.show(clockText)
        await worker.update()
        #expect(await words() == ["/format"])
    }

    @Test func `The worker emits no drawn event for a format on which it cannot draw`() async throws {
        surface.setCaps(try caps("GRAY16_LE"), on: surface.attach())
        await worker.show(clockText)
        #expect(await words() == ["/format"])
    }

    @Test func `The worker emits one error for all frames of a format that cannot be mapped`() async throws {
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

    @Test func `The worker emits an error on each pad whose frames of the same format cannot be mapped`()
        async throws
    {
        var wishes = surface.wishes.makeAsyncIterator()
        for _ in 0..<2 {
            let pad = surface.attach()
            surface.setCaps(try caps("I420"), on: pad)
            _ = await wishes.next()
            await worker.show(clockText)
            _ = await wishes.next()
            try surface.pass(byteCount: 9, on: pad)
            // Waits for the wish that makes an overlay update its worker.
            _ = await wishes.next()
            await worker.update()
        }
        #expect(await words() == ["drawn", "/format", "drawn", "/format"])
    }

    @Test func `The worker draws the seconds of a clock while frames pass, and again after they return`() async throws {
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

    @Test func `A closed worker has no clock, and starts none`() async throws {
        let hasEnded = Mutex(false)
        let worker = OverlayWorker(OverlayPlanner(CairoRasterizer()), surface, continuation) {
            defer { hasEnded.withLock { $0 = true } }
            try await Task.sleep(for: .seconds(3600))
        }
        let pad = surface.attach()
        surface.setCaps(try caps("I420"), on: pad)
        await worker.show(clockText)
        #expect(await worker.isClockRunning)
        await worker.close()
        #expect(hasEnded.withLock { $0 })
        await worker.update()
        #expect(await !worker.isClockRunning)
    }

    @Test func `The worker emits no drawn event for a format that changed while it drew`() async throws {
        let rasterizer = GatedRasterizer()
        let worker = OverlayWorker(OverlayPlanner(rasterizer), surface, continuation)
        let pad = surface.attach()
        surface.setCaps(try caps("I420"), on: pad)
        async let drawing: Void = worker.show(OverlayContents([Layer("text", .text(TextTemplate("a")))]))
        await rasterizer.waitUntilRequested()
        surface.setCaps(try caps("NV12"), on: pad)
        rasterizer.open()
        await drawing
        await worker.update()
        #expect(await words() == ["drawn"])
    }

    @Test func `A layer that was late is drawn again, after pauses that grow`() async throws {
        let busy = OverlayError(.tooMuch, "was not drawn within 60.0 seconds", isTransient: true)
        let rasterizer = FailingRasterizer(busy, times: 3)
        let pauses = Mutex<[Duration]>([])
        let worker = OverlayWorker(
            OverlayPlanner(rasterizer), surface, continuation,
            pause: { span in pauses.withLock { $0.append(span) } })
        surface.setCaps(try caps("I420"), on: surface.attach())
        var wishes = surface.wishes.makeAsyncIterator()
        worker.change { $0 = OverlayContents([Layer("text", .text(TextTemplate("a")))]) }
        for _ in 0..<4 {
            // The wish of the change, then that of each retry.
            _ = await wishes.next()
            await worker.update()
        }
        #expect(pauses.withLock(\.self) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(rasterizer.attempts == 4)
        // The same error is emitted once. A plan without the layer is drawn, too.
        #expect(await words() == ["text/too-much", "drawn", "drawn", "drawn", "drawn"])
        await worker.close()
    }

    @Test func `A layer that is too much is not drawn again until it changes`() async throws {
        let heavy = OverlayError(.tooMuch, "takes longer than 5.0 seconds to draw")
        let rasterizer = FailingRasterizer(heavy, times: .max)
        let worker = OverlayWorker(
            OverlayPlanner(rasterizer), surface, continuation, pause: { _ in Issue.record("a retry") })
        surface.setCaps(try caps("I420"), on: surface.attach())
        for text in ["a", "a", "b", "b", "a"] {
            await worker.show(OverlayContents([Layer("text", .text(TextTemplate(text)))]))
        }
        #expect(rasterizer.attempts == 3)
        await worker.close()
    }

    @Test func `The worker shows a second as soon as it has begun`() async throws {
        let rasterizer = RecordingRasterizer()
        let worker = OverlayWorker(OverlayPlanner(rasterizer), surface, continuation)
        surface.setCaps(try caps("I420"), on: surface.attach())
        let second = Self.beginningOfSecond()
        await worker.show(OverlayContents([Layer("clock", .text(TextTemplate("%s")))]))
        #expect(try #require(rasterizer.texts.first.flatMap { Int($0) }) >= second)
    }

    /// Returns the next second of the system clock when it begins. A sleep would return later.
    private static func beginningOfSecond() -> Int {
        let last = second
        while second == last {}
        return second
    }

    private static var second: Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec
    }

    @Test func `The worker draws no seconds after the overlay was detached`() async throws {
        surface.setCaps(try caps("I420"), on: surface.attach())
        await worker.show(clockText)
        #expect(await worker.isClockRunning)
        surface.leave()
        await worker.update()
        #expect(await !worker.isClockRunning)
    }

    @Test func `The surface ignores the caps from a probe of an earlier pad`() throws {
        let first = surface.attach()
        let second = surface.attach()
        surface.setCaps(try caps("I420"), on: second)
        surface.setCaps(try caps("GRAY8"), on: first)
        #expect(surface.frames?.info.format == "I420")
        surface.leave()
        surface.setCaps(try caps("I420"), on: second)
        #expect(surface.frames == nil)
    }

    @Test func `The plan stays valid for frames of the same format on the next pad`() async throws {
        surface.setCaps(try caps("I420"), on: surface.attach())
        await worker.show(clockText)
        let before = try #require(surface.frames)
        surface.setCaps(try caps("I420"), on: surface.attach())
        #expect(surface.frames == before)
    }
}

/// Fails with this error for some attempts, then draws nothing.
private final class FailingRasterizer: Rasterizer {
    private let error: OverlayError
    private let failures: Int
    private let count = Mutex(0)

    init(_ error: OverlayError, times failures: Int) { (self.error, self.failures) = (error, failures) }

    var attempts: Int { count.withLock { $0 } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number <= failures { throw error }
        return .empty
    }
}

/// Draws nothing, and records the requested texts.
private final class RecordingRasterizer: Rasterizer {
    private let requested = Mutex<[String]>([])

    var texts: [String] { requested.withLock { $0 } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        if case .text(let text, _) = request.content { requested.withLock { $0.append(text) } }
        return .empty
    }
}

extension OverlayWorker {
    /// Replaces the contents, and makes a plan for them.
    fileprivate func show(_ contents: OverlayContents) async {
        change { $0 = contents }
        await update()
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
