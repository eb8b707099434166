// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization
import Testing

@testable import ServiceKit

@Suite(.timeLimit(.minutes(2))) struct `A cache of pictures` {
    /// Makes pictures when the test allows it, and counts.
    private final class Maker: Sendable {
        private struct State {
            var begun: [String] = []
            var running = 0, most = 0
        }

        private let state = Mutex(State())
        private let isOpen = Mutex(false)

        var begun: [String] { state.withLock { $0.begun } }
        /// The most pictures that were made at the same time.
        var most: Int { state.withLock { $0.most } }

        func open() { isOpen.withLock { $0 = true } }

        func make(_ name: String) async throws(CaptureError) -> [UInt8] {
            state.withLock { state in
                state.begun.append(name)
                state.running += 1
                state.most = max(state.most, state.running)
            }
            defer { state.withLock { $0.running -= 1 } }
            while !isOpen.withLock({ $0 }) {
                if Task.isCancelled { throw CaptureError(.temporary, "canceled") }
                await Task.yield()
            }
            return Array(name.utf8)
        }
    }

    private static func until(_ condition: () async -> Bool) async { while await !condition() { await Task.yield() } }

    @Test func `Requests for the same picture make it once, and no two pictures are made at the same time`()
        async throws
    {
        let (cache, maker) = (PictureCache(), Maker())
        let names = ["a", "b", "a", "c", "a", "b"]
        let requests = names.map { name in
            Task { try await cache.picture(name) { () throws(CaptureError) in try await maker.make(name) } }
        }
        await Self.until { maker.begun.count == 1 }
        maker.open()
        for (name, request) in zip(names, requests) { #expect(try await request.value == Array(name.utf8)) }
        #expect(maker.begun.sorted() == ["a", "b", "c"])
        #expect(maker.most == 1)
        _ = try await cache.picture("a") { () throws(CaptureError) in
            Issue.record("a picture that is kept was made again")
            return []
        }
    }

    @Test func `A picture that no request waits for is not made`() async throws {
        let (cache, maker) = (PictureCache(), Maker())
        func request(_ name: String) -> Task<[UInt8], any Error> {
            Task { try await cache.picture(name) { () throws(CaptureError) in try await maker.make(name) } }
        }
        let (first, second) = (request("a"), request("a"))
        await Self.until { maker.begun == ["a"] }
        let waiting = request("b")
        await Self.until { await cache.pendingCount == 2 }
        // The second request still waits for the picture.
        first.cancel()
        waiting.cancel()
        await Self.until { await cache.pendingCount == 1 }
        maker.open()
        #expect(try await second.value == Array("a".utf8))
        await #expect(throws: CaptureError.self) { _ = try await waiting.value }
        #expect(maker.begun == ["a"])
    }

    @Test func `Canceling the last request ends the making`() async throws {
        let (cache, maker) = (PictureCache(), Maker())
        let request = Task { try await cache.picture("a") { () throws(CaptureError) in try await maker.make("a") } }
        await Self.until { maker.begun == ["a"] }
        request.cancel()
        await #expect(throws: CaptureError.self) { _ = try await request.value }
        #expect(await cache.pendingCount == 0)
    }

    @Test func `Pictures beyond the most that may be pending are refused for a time`() async throws {
        let (cache, maker) = (PictureCache(mostPending: 2), Maker())
        let requests = ["a", "b"].map { name in
            Task { try await cache.picture(name) { () throws(CaptureError) in try await maker.make(name) } }
        }
        await Self.until { await cache.pendingCount == 2 }
        let error = await #expect(throws: CaptureError.self) {
            try await cache.picture("c") { () throws(CaptureError) in [] }
        }
        #expect(error?.code == .temporary)
        maker.open()
        for request in requests { _ = try await request.value }
    }

    @Test func `The oldest pictures are forgotten when they need too much memory`() async throws {
        let cache = PictureCache(mostBytes: 10)
        for name in ["a", "b", "a", "c"] {
            _ = try await cache.picture(name) { () throws(CaptureError) in [UInt8](repeating: 1, count: 4) }
        }
        // a was used after b.
        #expect(try await cache.picture("a") { () throws(CaptureError) in [2] }.count == 4)
        #expect(try await cache.picture("b") { () throws(CaptureError) in [2] } == [2])
    }
}
