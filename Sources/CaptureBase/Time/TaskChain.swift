// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Runs work items one after the other, in the order in which they were added.
package struct TaskChain: Sendable {
    private var last: Task<Void, Never>?

    package init() {}

    /// Runs a work item when all earlier ones are done.
    package mutating func add(_ work: @escaping @Sendable () async -> Void) {
        last = Task { [previous = last] in
            await previous?.value
            await work()
        }
    }

    /// Cancels the work item that was added last.
    package func cancelLast() { last?.cancel() }

    /// Returns when all work items added so far are done.
    package func finish() async { await last?.value }
}
