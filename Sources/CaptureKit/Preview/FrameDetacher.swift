// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Gives frames memory of their own where no element has: a camera owns few buffers, and cannot be closed for good while
/// one of them is on a screen.
final class FrameDetacher: Sendable {
    private let makers: [Element]
    private let pool = Mutex<FramePool?>(nil)
    private let info = Mutex<VideoInfo?>(nil)

    /// - Parameter makers: The filters on the way. Each that is not just passing frames on makes them anew.
    init(_ makers: [Element]) { self.makers = makers }

    /// Frames from now on have this format.
    func meet(_ caps: Caps) {
        info.withLock { $0 = caps.videoInfo }
        pool.withLock { $0 = nil }
    }

    /// Puts a copy into the place of a frame that is still the source's. On the streaming thread.
    func detach(_ buffer: inout ProbedBuffer) {
        guard makers.allSatisfy(\.isPassthrough), let pool = try? currentPool() else { return }
        try? buffer.moveFrame(to: pool)
    }

    /// Made with the first frame that needs it, mostly never.
    private func currentPool() throws -> FramePool? {
        try pool.withLock { pool in
            if pool == nil { pool = try info.withLock { $0 }.map { try FramePool($0) } }
            return pool
        }
    }
}
