// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Synchronization

/// Holds the streaming thread until there is a drawing. Any thread may call the methods; only one waits.
final class FirstDrawing: Sendable {
    private struct State {
        var isOpen = false
        var isWaiting = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Holds the next frame again.
    func reset() { state.withLock { $0.isOpen = false } }

    /// Returns when there is a drawing, or when ``passFrame()`` is called meanwhile.
    func wait() {
        let mustWait = state.withLock { state in
            state.isWaiting = !state.isOpen
            return state.isWaiting
        }
        if mustWait { signal.wait() }
    }

    /// Lets this frame and all that follow pass.
    func open() { wake { $0.isOpen = true } }

    /// Lets only the frame pass that waits now.
    func passFrame() { wake { _ in } }

    private func wake(_ change: (inout State) -> Void) {
        let wasWaiting = state.withLock { state in
            change(&state)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wasWaiting { signal.signal() }
    }
}
