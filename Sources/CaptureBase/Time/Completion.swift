// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// Tells any number of tasks that something has ended. Any thread may use it.
package final class Completion: Sendable {
    private struct State {
        var isComplete = false
        var nextID = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// `true` after ``complete()``.
    package var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Resumes all tasks that wait. Further calls have no effect.
    package func complete() {
        let waiting = state.withLock { state in
            state.isComplete = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits for ``complete()``, or until the task is canceled.
    package func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state -> Int? in
            guard !state.isComplete else { return nil }
            state.nextID += 1
            state.waiting[state.nextID] = continuation
            return state.nextID
        }
        guard let id else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: id) }
    }
}

extension [Completion] {
    /// Waits until all are complete, or until the task is canceled.
    package func wait() async { for completion in self { await completion.wait() } }

    /// Waits until all are complete, at most for this long: a disk or a driver can hang.
    package func wait(atMost limit: Duration) async {
        guard limit > .zero, contains(where: { !$0.isComplete }) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await Task.sleep(for: limit, clock: .suspending) }
            await group.next()
            group.cancelAll()
        }
    }
}
