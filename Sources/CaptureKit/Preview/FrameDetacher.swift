// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Copies frames that still use the camera's memory. A camera has few buffers, and is not closed completely while one
/// of them is on a screen.
final class FrameDetacher: Sendable {
    private let makers: [Element]
    private let pool = Mutex<FramePool?>(nil)
    private let info = Mutex<VideoInfo?>(nil)

    /// Creates a detacher.
    ///
    /// - Parameter makers: The filters before it. A filter that is not in passthrough mode writes new frames.
    init(_ makers: [Element]) { self.makers = makers }

    /// Sets the format of the following frames.
    func setCaps(_ caps: Caps) {
        info.withLock { $0 = caps.videoInfo }
        pool.withLock { $0 = nil }
    }

    /// Replaces a frame that is still in the source's memory by a copy. Runs on the streaming thread.
    func detach(_ buffer: inout ProbedBuffer) {
        guard makers.allSatisfy(\.isPassthrough), let pool = try? currentPool() else { return }
        try? buffer.moveFrame(to: pool)
    }

    /// Returns the pool for copies. It is created with the first frame that needs it; most previews never need it.
    private func currentPool() throws -> FramePool? {
        try pool.withLock { pool in
            if pool == nil { pool = try info.withLock { $0 }.map { try FramePool($0) } }
            return pool
        }
    }
}
