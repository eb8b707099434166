// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import Synchronization
import Testing

/// Live frames that show the time at which they were made, as from a camera that looks at a clock.
///
/// They come from a separate pipeline through shared memory, so that a consumer knows this time from the picture alone.
final class ClockScene: Sendable {
    /// The content of a frame.
    struct Reading: Sendable {
        /// When the frame was made, on the clock of all pipelines.
        let time: ClockTime
        /// `true` if the frame is full of edges, as every other frame is.
        let isSharp: Bool
    }

    /// The source that receives the frames, in gst-launch syntax.
    let source: String
    /// The time from one frame to the next.
    static let frameDuration = Duration.nanoseconds(33_333_333)

    private let folder: TemporaryFolder
    private let pipeline: Pipeline
    private let log = Log()

    /// The times at which frames were made.
    private final class Log: Sendable {
        let times = Mutex<[ClockTime]>([])
    }

    /// Starts to make frames.
    init() async throws {
        folder = try TemporaryFolder()
        let info = try VideoInfo(format: "GRAY8", width: Self.columns * Self.block, height: 12 * Self.block)
        let caps = "video/x-raw,format=GRAY8,width=\(info.width),height=\(info.height),framerate=30/1"
        let socket = "socket-path=\(folder.path)/clock"
        source = "shmsrc \(socket) is-live=true do-timestamp=true ! \(caps)"
        pipeline = try Pipeline(
            "videotestsrc is-live=true pattern=solid-color foreground-color=0xff808080 ! \(caps) ! identity name=clock"
                + " ! shmsink \(socket) wait-for-connection=false sync=false")
        try #require(pipeline.element(named: "clock").pad("sink")).probeBuffers { [log] buffer in
            let isSharp = Self.number(of: buffer) % 2 == 0
            let time = PipelineClock.system.now
            log.times.withLock { $0.append(time) }
            try? buffer.withWritableVideoFrame(info) { frame in
                _ = frame.withPlane(0) { bytes, layout in
                    bytes.withUnsafeMutableBytes { Self.paint($0, layout.stride, time, isSharp: isSharp) }
                }
            }
            return .pass
        }
        try await pipeline.play()
    }

    /// `true` if a frame was made near this moment. A busy machine may leave frames out.
    func hasFrame(near moment: ClockTime) -> Bool {
        log.times.withLock { times in
            times.contains { max($0 - moment, moment - $0) <= Self.frameDuration * 3 / 4 }
        }
    }

    /// Stops making frames.
    func close() async throws { try await pipeline.stop() }

    // MARK: Blocks

    private static let columns = 16, block = 8, bits = 48

    private static func number(of buffer: borrowing ProbedBuffer) -> UInt64 {
        ((buffer.presentationTime ?? .zero).nanoseconds * 30 + 500_000_000) / 1_000_000_000
    }

    /// Paints the time in microseconds as black and white blocks, and once more inverted; below, stripes or gray.
    private static func paint(
        _ bytes: UnsafeMutableRawBufferPointer, _ stride: Int, _ time: ClockTime, isSharp: Bool
    ) {
        if isSharp {
            for row in 6 * block..<12 * block where row % 2 == 0 {
                for column in 0..<columns * block { bytes[row * stride + column] = 255 }
            }
        }
        let time = time.nanoseconds / 1000
        for index in 0..<2 * bits {
            let isSet = time >> UInt64(index % bits) & 1 == 1
            let value: UInt8 = isSet == (index < bits) ? 255 : 0
            let start = index / columns * block * stride + index % columns * block
            for row in 0..<block {
                for column in 0..<block { bytes[start + row * stride + column] = value }
            }
        }
    }

    /// Reads the content of a frame.
    static func read(_ picture: RGBPicture) throws -> Reading {
        let blocks = (0..<2 * bits).map { index in
            picture[index % columns * block + block / 2, index / columns * block + block / 2][1] > 127
        }
        try #require(zip(blocks, blocks.dropFirst(bits)).allSatisfy { $0 != $1 })
        let time = blocks.prefix(bits).enumerated().reduce(UInt64(0)) { $0 | ($1.element ? 1 << UInt64($1.offset) : 0) }
        let (bright, dark) = (picture[4, 8 * block][1], picture[4, 8 * block + 1][1])
        return Reading(time: ClockTime(nanoseconds: time * 1000), isSharp: Int(bright) - Int(dark) > 64)
    }
}
