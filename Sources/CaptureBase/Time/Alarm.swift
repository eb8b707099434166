// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// Calls a closure at a set time. Setting another time cancels the pending call.
package struct Alarm {
    private var task: Task<Void, Never>?

    package init() {}

    /// Cancels the pending call, and sets the time of the next one. A time that has passed calls at once.
    ///
    /// - Parameter ring: Called once, in a task that is canceled when another time is set. Cancellation ends the wait:
    ///   the closure is then called at once, and must check `Task.isCancelled`.
    package mutating func set(_ time: ClockTime, _ ring: @escaping @Sendable () async -> Void) {
        task?.cancel()
        task = Task { [previous = task] in
            let left = time - ClockTime.now
            if left > .zero { try? await Task.sleep(for: left, tolerance: .zero, clock: .suspending) }
            await ring()
            await previous?.value
        }
    }

    /// Cancels the task of the pending call, as ``set(_:_:)`` does.
    package func cancel() { task?.cancel() }

    /// Cancels the task of the pending call, and returns when that task and all earlier ones have ended. The closure of
    /// ``set(_:_:)`` must not call it.
    package func finish() async {
        cancel()
        await task?.value
    }
}
