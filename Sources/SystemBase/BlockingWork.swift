// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch

/// Runs single calls that can block, such as in a driver, on a thread of Dispatch instead of Swift's cooperative pool.
package enum BlockingWork {
    /// Runs `body`, and waits for its result without a time limit, even if the task is canceled.
    ///
    /// - Throws: The error of `body`.
    package static func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
