// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch

/// Single calls that can block, such as in a driver: they run on a thread of Dispatch's, and not on Swift's cooperative pool.
package enum BlockingWork {
    /// Waits for what `body` answers.
    ///
    /// - Throws: what `body` throws.
    package static func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
