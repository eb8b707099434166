// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Lets one task after the other perform work with suspensions, in the order in which they came. An actor alone does not:
/// its other calls run while one is suspended.
///
///     await turns.take()
///     defer { turns.end() }
package final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for the turn of the caller, who calls ``end()`` in every case. Canceling the task does not end the wait.
    package func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends the turn of the caller.
    package func end() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
