// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Lets tasks wait until another thread says that something happened.
///
/// A task reads `signals`, looks whether there is something for it, and else waits for a signal after those: none is
/// lost between the look and the wait. Every signal wakes all who wait, and each looks again.
///
/// Signalling takes a lock for a few instructions, and allocates nothing: it may be done on a streaming thread.
final class Wakeup: Sendable {
    private struct State {
        var signals: UInt64 = 0
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many signals there were.
    var signals: UInt64 { state.withLock { $0.signals } }

    /// True after `close()`.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Wakes all who wait.
    func signal() { wake { $0.signals &+= 1 } }

    /// Wakes all who wait, and everyone who ever will.
    func close() { wake { $0.isClosed = true } }

    /// Waits for a signal after so many; returns at once after `close()`, and when the task is cancelled.
    func wait(after signals: UInt64) async {
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
