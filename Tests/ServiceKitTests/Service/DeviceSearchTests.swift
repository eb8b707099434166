// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import Synchronization
import Testing

@testable import ServiceKit

@Suite(.timeLimit(.minutes(1))) struct `The search for connected cameras` {
    /// A clock on which every deadline expires at once.
    private struct ExpiredClock: Clock {
        typealias Instant = SuspendingClock.Instant
        var now: Instant { SuspendingClock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }

    @Test func `While a driver hangs, all requests share one search, and each of them ends in time`() async throws {
        let searches = Mutex(0)
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let search = DeviceSearch(Deadline(subject: "cameras", clock: ExpiredClock())) {
            searches.withLock { $0 += 1 }
            for await _ in gate {}
            return [.scene]
        }
        for _ in 0..<3 {
            let error = await #expect(throws: CaptureError.self) { try await search.cameras() }
            #expect(error?.code == .wedged)
        }
        opening.finish()
        await search.settle()
        #expect(searches.withLock { $0 } == 1)
    }

    @Test func `Each request after the end of a search begins a new one`() async throws {
        let searches = Mutex(0)
        let search = DeviceSearch(Deadline(subject: "cameras")) {
            searches.withLock { $0 += 1 }
            return [.scene]
        }
        for _ in 0..<2 { #expect(try await search.cameras() == [.scene]) }
        #expect(searches.withLock { $0 } == 2)
    }
}
