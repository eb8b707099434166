// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The pauses of a job after faults. Each is twice as long as the one before, up to a minute. One task at a time waits;
/// any thread may end its pause.
final class RetryPause: Sendable {
    private struct State {
        var failures = 0
        var pause: Task<Void, Never>?
    }

    private let first: Duration
    private let state = Mutex(State())

    private static let longest = Duration.seconds(60)

    /// - Parameter first: The duration of the first pause.
    init(first: Duration) { self.first = first }

    /// Makes the next pause the first one again: the job has succeeded.
    func reset() { state.withLock { $0.failures = 0 } }

    /// Ends the current pause.
    func end() { state.withLock { $0.pause }?.cancel() }

    /// Waits before the next attempt. If no camera was found, a video device that appears ends the pause.
    func wait(after error: CaptureError) async {
        let delay = state.withLock { state in
            defer { state.failures += 1 }
            return min(first * (1 << min(state.failures, 10)), Self.longest)
        }
        await wait { await SeriesJob.wait(delay, orDevice: error.code == .noCamera) }
    }

    /// Waits for `body`, which ``end()`` and the end of the task cancel.
    func wait(for body: @escaping @Sendable () async -> Void) async {
        let pause = Task { await body() }
        state.withLock { $0.pause = pause }
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        state.withLock { $0.pause = nil }
    }
}
