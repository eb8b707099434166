// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The tasks of a session's pictures: one is captured after the other, and one brought in after the other.
///
/// The owner must await ``finish()``.
struct PictureTasks {
    private var capturing = TaskChain()
    private var bringing = TaskChain()
    private var signal = Alarm()

    /// Captures a picture once earlier ones are done, and signals at zero that it is captured.
    mutating func capture(
        at zero: ClockTime, signal: @escaping @Sendable () async -> Void, _ work: @escaping @Sendable () async -> Void
    ) {
        self.signal.set(zero, signal)
        capturing.add(work)
    }

    /// Brings a picture in once earlier ones are done.
    mutating func bring(_ work: @escaping @Sendable () async -> Void) { bringing.add(work) }

    /// Cancels the signal of a picture that failed.
    func cancelSignal() { signal.cancel() }

    /// Cancels the pending picture, and its signal.
    func callOff() {
        signal.cancel()
        capturing.cancelLast()
        bringing.cancelLast()
    }

    /// Returns when all tasks added so far are done.
    func finish() async {
        await capturing.finish()
        await bringing.finish()
    }
}
