// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Chooses the frames that an encoder gets, at most one at a time: the newest one whenever the encoder is ready. While it
/// encodes, one frame waits, and a newer one replaces it. If the encoder is too slow, it therefore gets frames at even
/// distances.
struct FrameGate<Frame> {
    private var isReady = false
    private var waiting: Frame?
    /// The number of frames that were replaced before the encoder was ready.
    private(set) var droppedCount = 0

    /// Receives a frame.
    ///
    /// - Parameter keep: Returns the frame in a form in which it can wait.
    /// - Returns: The frame if the encoder gets it now; `nil` if it waits.
    mutating func receive(_ frame: Frame, keep: (Frame) -> Frame) -> Frame? {
        guard !isReady else {
            isReady = false
            return frame
        }
        if waiting != nil { droppedCount += 1 }
        waiting = keep(frame)
        return nil
    }

    /// Records that the encoder is ready.
    ///
    /// - Returns: The frame that the encoder gets now; `nil` if none waits.
    mutating func becomeReady() -> Frame? {
        defer { waiting = nil }
        isReady = waiting == nil
        return waiting
    }

    /// Releases the frame that waits, which is not counted.
    mutating func clear() { waiting = nil }
}
