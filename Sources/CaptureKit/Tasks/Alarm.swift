// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Calls once at a moment, and at one moment only: the last that was set.
struct Alarm {
    private var task: Task<Void, Never>?

    /// Calls at this moment in place of any before; at once where it has passed.
    ///
    /// - Parameter ring: Called in a task that is cancelled as soon as another moment is set. As it may be on its way by
    ///   then, it has to look.
    mutating func set(_ time: ClockTime, _ ring: @escaping @Sendable () async -> Void) {
        task?.cancel()
        task = Task {
            let left = time - PipelineClock.system.now
            if left > .zero { try? await Task.sleep(for: left, tolerance: .zero, clock: .suspending) }
            await ring()
        }
    }

    /// Does not call any more.
    func cancel() { task?.cancel() }
}
