// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

/// Copies the luma of preview frames into gray frames, for a pipeline that searches them.
struct FrameFeed {
    private var pace: FramePace
    private var luma: LumaFrame
    private var pool: FramePool?
    /// `true` to mirror the next frame.
    private var isFlipped = false

    /// - Parameters:
    ///   - rate: The most frames a second.
    ///   - widest: The most pixels in a row.
    init(rate: Int, widest: Int) { (pace, luma) = (FramePace(rate: rate), LumaFrame(widest: widest)) }

    /// The size of the gray frames; 0 before the first.
    var width: Int { luma.width }
    var height: Int { luma.height }

    /// Returns a gray frame if one is due; `nil` also if the format has no known place for luma.
    ///
    /// - Parameter alternates: `true` to mirror every second frame.
    mutating func sample(
        from buffer: Buffer, _ info: VideoInfo, _ time: ClockTime, alternating alternates: Bool = false
    ) -> Sample? {
        guard pace.takes(time), luma.fill(from: buffer, info), let pool = try? frames() else { return nil }
        if alternates { isFlipped.toggle() }
        let frame = try? pool.makeFrame { [luma, isFlipped] in luma.copy(into: &$0, flipped: isFlipped) }
        return frame.map { Sample($0, caps: pool.info.caps) }
    }

    /// Returns a pool for frames of the current size.
    private mutating func frames() throws -> FramePool {
        if let pool, pool.info.width == luma.width, pool.info.height == luma.height { return pool }
        let pool = try FramePool(VideoInfo(format: "GRAY8", width: luma.width, height: luma.height))
        self.pool = pool
        return pool
    }
}

extension LumaFrame {
    /// Copies the luma into a gray frame of the same size.
    fileprivate func copy(into frame: inout WritableVideoFrame, flipped: Bool) {
        _ = frame.withPlane(0) { bytes, layout in
            bytes.withUnsafeMutableBytes { target in
                for row in 0..<min(height, layout.rows) {
                    let line = UnsafeMutableRawBufferPointer(rebasing: target[(row * layout.stride)...].prefix(width))
                    let levels = levels[(row * width)..<((row + 1) * width)]
                    if flipped {
                        line.copyBytes(from: levels.reversed())
                    } else {
                        levels.withUnsafeBytes { line.copyMemory(from: $0) }
                    }
                }
            }
        }
    }
}
