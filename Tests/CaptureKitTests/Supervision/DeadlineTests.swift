// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureKit

@Suite("Bounded calls", .timeLimit(.minutes(1)))
struct DeadlineTests {
    /// A clock on which any time is over at once.
    private struct FastClock: Clock {
        let now = SuspendingClock().now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {}
    }

    /// A clock that stands still, as while the machine is suspended.
    private struct StoppedClock: Clock {
        let now = SuspendingClock().now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
    }

    @Test("The limit stands still while the machine is suspended")
    func suspended() {
        #expect(Deadline(subject: "camera").clock is SuspendingClock)
    }

    @Test("A call that has not returned when the limit is over is the driver's fault, and is named")
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

    @Test("A call that returns in time gives its value, or its own error")
    func inTime() async throws {
        let deadline = Deadline(subject: "camera", limit: .zero, clock: StoppedClock())
        #expect(try await deadline.bound("reading") { 7 } == 7)
        let error = CaptureError(.permission, "no")
        await #expect(throws: error) {
            try await deadline.bound("reading") { () throws(CaptureError) -> Int in throw error }
        }
    }
}
