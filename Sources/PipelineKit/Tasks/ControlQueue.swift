// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import SystemBase

/// A serial Dispatch queue for calls that can block in a driver, so that Swift's cooperative pool never blocks.
///
/// A call that does not return keeps its thread, and later calls on the queue wait behind it. Each caller gets an error
/// when its deadline expires. The call is not withdrawn: it still runs when its turn comes.
final class ControlQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Runs `body` on this queue, and waits for its result without blocking a thread. A cancellation does not end the
    /// wait.
    ///
    /// - Throws: Any error of `body`; ``PipelineError/Code/deadline`` if `body` has not returned in time.
    func run<Success: Sendable>(
        _ call: String, within deadline: Duration, _ body: @escaping @Sendable () throws(PipelineError) -> Success
    ) async throws(PipelineError) -> Success {
        let result: Result<Success, PipelineError> = await withCheckedContinuation { continuation in
            let once = SingleResumption(continuation)
            queue.async { once.resume(Result(catching: body)) }
            DispatchQueue.global().asyncAfter(deadline: .now() + deadline.interval) { [weak once] in
                once?.resume(.failure(.overdue(call, deadline)))
            }
        }
        return try result.get()
    }

    /// Runs `body` on this queue later, without waiting for it.
    func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

extension Duration {
    /// The duration in milliseconds, because nanoseconds do not fit 32 bits; rounded up.
    fileprivate var interval: DispatchTimeInterval {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return .milliseconds(Int(clamping: quotient + (remainder > 0 ? 1 : 0)))
    }
}

extension PipelineError {
    static func overdue(_ call: String, _ deadline: Duration) -> PipelineError {
        PipelineError(
            .deadline, "\(call) has not returned within \(deadline)",
            advice: "the driver or a plugin hangs: end the program, and reconnect the device")
    }

    /// The error of a call that timed out waiting for the pipeline's change of state.
    static func unsettled(_ call: String, _ deadline: Duration) -> PipelineError {
        PipelineError(
            .deadline, "\(call) has waited \(deadline) for the pipeline to start",
            advice: "a source without data delays the start")
    }
}
