// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Synchronization

/// Runs single calls that can block, such as in a driver, on a thread of Dispatch instead of Swift's cooperative pool.
package enum BlockingWork {
    /// Runs `body`, and waits for its result without a time limit, even if the task is canceled.
    ///
    /// - Throws: The error of `body`.
    package static func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `body`, and waits for its result until the task is canceled. A call that hangs then keeps its thread, but not
    /// the caller.
    ///
    /// - Returns: `nil` if the task was canceled before.
    package static func runUntilCanceled<Success: Sendable>(
        _ body: @escaping @Sendable () -> Success
    ) async -> Success? {
        let wait = SingleWait<Success>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                // A handler of a task that is canceled already ran before.
                if Task.isCancelled { return wait.end(nil) }
                DispatchQueue.global().async { wait.end(body()) }
            }
        } onCancel: {
            wait.end(nil)
        }
    }
}

/// A wait that ends once, with the first of two results.
private final class SingleWait<Success: Sendable>: Sendable {
    private let continuation = Mutex<CheckedContinuation<Success?, Never>?>(nil)

    func begin(_ continuation: CheckedContinuation<Success?, Never>) {
        self.continuation.withLock { $0 = continuation }
    }

    func end(_ result: sending Success?) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
