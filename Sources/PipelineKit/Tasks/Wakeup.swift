// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Lets tasks wait until another thread signals.
///
/// A task reads `signals`, checks for work, and if there is none waits for a later signal: no signal is lost between
/// the check and the wait. Every signal wakes all waiting tasks, and each checks again.
///
/// Signaling holds a lock for a few instructions and allocates nothing: a streaming thread may signal.
package final class Wakeup: Sendable {
    private struct State {
        var signals: UInt64 = 0
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of signals so far.
    package var signals: UInt64 { state.withLock { $0.signals } }

    /// `true` after `close()`.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Wakes all waiting tasks.
    package func signal() { wake { $0.signals &+= 1 } }

    /// Wakes all waiting tasks; later waits return at once.
    package func close() { wake { $0.isClosed = true } }

    /// Waits until more than the given number of signals have occurred; returns at once after `close()`, and when the
    /// task is canceled.
    package func wait(after signals: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !park(continuation, after: signals) { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>, after signals: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.signals == signals else { return false }
            state.waiting.append(continuation)
            return true
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
