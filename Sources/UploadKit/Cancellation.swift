// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization
import SystemBase

/// Ends blocking work when the task that waits for it is canceled.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    /// `true` if the task was canceled.
    package var isCanceled: Bool { flag.load(ordering: .relaxed) }

    /// - Throws: ``TransferFault/canceled`` if the task was canceled.
    package func check() throws(TransferFault) {
        if isCanceled { throw .canceled }
    }

    /// Runs `body` on a thread that may block. It has to look at the cancellation at least once a second.
    package static func run<Success: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await BlockingWork.run { () -> Result<Success, TransferFault> in
                do throws(TransferFault) {
                    try cancellation.check()
                    return .success(try body(cancellation))
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            cancellation.flag.store(true, ordering: .relaxed)
        }
        return try result.get()
    }
}
