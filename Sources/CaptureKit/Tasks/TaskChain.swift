// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Work that is done one piece after the other, in the order in which it was asked for.
struct TaskChain {
    private var last: Task<Void, Never>?

    /// Does this when all before it is done.
    mutating func add(_ work: @escaping @Sendable () async -> Void) {
        last = Task { [previous = last] in
            await previous?.value
            await work()
        }
    }

    /// Tells the piece that was added last that it is not wanted any more.
    func cancelLast() { last?.cancel() }

    /// Returns when all is done that was asked for by now.
    func finish() async { await last?.value }
}
