// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@testable import CameraKit

@Suite("The search of GStreamer's device providers")
struct CameraDiscoveringTests {
    /// A clock that tests advance.
    private final class ManualClock: Clock {
        private let start = ContinuousClock().now
        private let passed = Mutex(Swift.Duration.zero)

        var now: ContinuousClock.Instant { start.advanced(by: passed.withLock { $0 }) }
        let minimumResolution = Swift.Duration.nanoseconds(1)

        func advance(by span: Swift.Duration) { passed.withLock { $0 += span } }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {}
    }

    /// A monitor whose calls take a time on the clock, and record their timeouts.
    private final class SlowMonitor: DeviceSearching {
        private let clock: ManualClock
        private let span: Duration
        private let recorded = Mutex<[Duration]>([])

        init(_ clock: ManualClock, taking span: Duration) { (self.clock, self.span) = (clock, span) }

        var deadlines: [Duration] { recorded.withLock { $0 } }

        func start(deadline: Duration) async throws(PipelineError) { record(deadline) }

        func devices(deadline: Duration) async throws(PipelineError) -> [Device] {
            record(deadline)
            return []
        }

        func stop(deadline: Duration) async throws(PipelineError) { record(deadline) }

        private func record(_ deadline: Duration) {
            recorded.withLock { $0.append(deadline) }
            clock.advance(by: span)
        }
    }

    @Test(
        "The calls of a search share its deadline, and at least a second is left to end it",
        arguments: [(0, [10, 10, 10]), (4, [10, 6, 2]), (7, [10, 3, 1]), (10, [10, 0, 1]), (30, [10, 0, 1])])
    func deadlines(taken: Int, expected: [Int]) async {
        let clock = ManualClock()
        let monitor = SlowMonitor(clock, taking: .seconds(taken))
        let devices = await CameraCatalog.findDevices(with: monitor, deadline: .seconds(10), clock: clock)
        #expect(devices.isEmpty)
        #expect(monitor.deadlines == expected.map { Duration.seconds($0) })
    }
}
