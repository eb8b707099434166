// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The tasks of a session's pictures: one is captured after the other, and one brought in after the other.
///
/// The owner must await ``finish()``.
struct PictureTasks {
    private var capturing = TaskChain()
    private var bringing = TaskChain()

    /// Captures a picture once earlier ones are done.
    mutating func capture(_ work: @escaping @Sendable () async -> Void) { capturing.add(work) }

    /// Brings a picture in once earlier ones are done.
    mutating func bring(_ work: @escaping @Sendable () async -> Void) { bringing.add(work) }

    /// Cancels the pending picture.
    func callOff() {
        capturing.cancelLast()
        bringing.cancelLast()
    }

    /// Returns when all tasks added so far are done.
    func finish() async {
        await capturing.finish()
        await bringing.finish()
    }
}
