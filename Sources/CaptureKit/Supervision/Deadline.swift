// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Bounds calls that can hang in a driver. What hangs keeps its thread; whoever waits for it is told.
struct Deadline: Sendable {
    /// Whose driver it is, for the message.
    let subject: String
    /// How long a call may take.
    var limit = Duration.seconds(10)
    /// Measures the limit; it stands still while the machine is suspended, as the driver does.
    var clock: any Clock<Duration> = SuspendingClock()

    /// Waits for what `body` answers.
    ///
    /// - Throws: what `body` throws; ``CaptureError/Code/wedged`` where it has not answered in time.
    func bound<Success: Sendable>(
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
