// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Runs work items one after the other, in the order in which they were added.
struct TaskChain {
    private var last: Task<Void, Never>?

    /// Runs a work item when all earlier ones are done.
    mutating func add(_ work: @escaping @Sendable () async -> Void) {
        last = Task { [previous = last] in
            await previous?.value
            await work()
        }
    }

    /// Cancels the work item that was added last.
    func cancelLast() { last?.cancel() }

    /// Returns when all work items added so far are done.
    func finish() async { await last?.value }
}
