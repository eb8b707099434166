// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Lets one task wait until another thread says that something happened; a signal before the wait is not lost.
///
/// Signalling takes a lock for a few instructions, and allocates nothing: it may be done on a streaming thread.
final class Wakeup: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(CheckedContinuation<Void, Never>)
        case closed
    }

    private let state = Mutex(State.idle)

    /// Wakes whoever waits, or the next who will.
    func signal() { resume(next: .idle, otherwise: .signalled) }

    /// Wakes whoever waits, and everyone who ever will.
    func close() { resume(next: .closed, otherwise: .closed) }

    /// True after `close()`.
    var isClosed: Bool {
        state.withLock { state in
            if case .closed = state { true } else { false }
        }
    }

    /// Waits for a signal; returns at once after `close()`, and when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !park(continuation) { continuation.resume() }
            }
        } onCancel: {
            // Only wakes: another task may wait here later.
            signal()
        }
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            switch state {
            case .idle:
                state = .waiting(continuation)
                return true
            case .signalled:
                state = .idle
                return false
            case .closed:
                return false
            case .waiting:
                preconditionFailure("two tasks wait for one sequence; give each its own")
            }
        }
    }

    private func resume(next: State, otherwise: State) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            switch state {
            case .waiting(let continuation):
                state = next
                return continuation
            case .idle, .signalled:
                state = otherwise
                return nil
            case .closed:
                return nil
            }
        }
        waiting?.resume()
    }
}
