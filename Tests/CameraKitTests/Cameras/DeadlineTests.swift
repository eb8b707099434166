// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import CameraKit

@Suite("Bounded calls", .timeLimit(.minutes(5)))
struct DeadlineTests {
    /// A clock on which every deadline has passed.
    private struct FastClock: Clock {
        let now = SuspendingClock().now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {}
    }

    /// A clock that stands still, as during a suspension.
    private struct StoppedClock: Clock {
        let now = SuspendingClock().now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
    }

    @Test("The timeout of a call does not run while the machine is suspended")
    func suspended() {
        #expect(Deadline(subject: "camera").clock is SuspendingClock)
    }

    @Test("A call that exceeds its limit is reported as wedged, with its name")
    func overdue() async {
        let (never, continuation) = AsyncStream<Void>.makeStream()
        let deadline = Deadline(subject: "camera", limit: .seconds(10), clock: FastClock())
        let error = await #expect(throws: CaptureError.self) {
            try await deadline.bound("opening the controls") { for await _ in never {} }
        }
        #expect(error?.code == .wedged)
        #expect(error?.message.contains("opening the controls has not returned within 10 s") == true)
        continuation.finish()
    }

    @Test("A call that returns in time returns its value, or throws its own error")
    func inTime() async throws {
        let deadline = Deadline(subject: "camera", limit: .zero, clock: StoppedClock())
        #expect(try await deadline.bound("reading") { 7 } == 7)
        let error = CaptureError(.permission, "no")
        await #expect(throws: error) {
            try await deadline.bound("reading") { () throws(CaptureError) -> Int in throw error }
        }
    }
}
