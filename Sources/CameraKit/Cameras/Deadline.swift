// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// Limits the time of calls that can hang in a driver. A call that hangs blocks its thread; its caller gets an error.
package struct Deadline: Sendable {
    /// The device whose driver is called, for the message.
    let subject: String
    /// The timeout of a call.
    let limit: Duration
    /// Measures the timeout. The clock stands still while the machine is suspended, as the driver does.
    let clock: any Clock<Duration>

    package init(subject: String, limit: Duration = .seconds(10), clock: any Clock<Duration> = SuspendingClock()) {
        (self.subject, self.limit, self.clock) = (subject, limit, clock)
    }

    /// Returns the result of `body`. After a timeout, `body` keeps running. Canceling the caller's task does not end
    /// the wait.
    ///
    /// - Throws: The error of `body`; ``CaptureError/Code/wedged`` if the timeout expires first.
    package func bound<Success: Sendable>(
        _ call: String, _ body: @escaping @Sendable () async throws(CaptureError) -> Success
    ) async throws(CaptureError) -> Success {
        let result: Result<Success, CaptureError> = await withCheckedContinuation { continuation in
            let once = SingleResumption(continuation)
            let timer = Task {
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                once.resume(.failure(.wedged(subject, call, limit)))
            }
            Task {
                do throws(CaptureError) {
                    once.resume(.success(try await body()))
                } catch {
                    once.resume(.failure(error))
                }
                timer.cancel()
            }
        }
        return try result.get()
    }
}

extension CaptureError {
    /// Returns the error for a driver that does not return from a call.
    fileprivate static func wedged(_ subject: String, _ call: String, _ deadline: Duration) -> CaptureError {
        CaptureError(
            .wedged, "the driver hangs: \(call) has not returned within \(deadline.components.seconds) s",
            subject: subject, advice: "restart gst-capture; if that does not help, reconnect the camera")
    }
}
