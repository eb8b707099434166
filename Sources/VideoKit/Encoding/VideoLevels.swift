// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Reduces full levels (0...255), as JPEG has them, to video levels (16...235, chroma 16...240), in place.
///
/// Decoders assume video levels if the stream states nothing, and most encoders cannot state it. GStreamer's converter
/// leaves the levels of I420 unchanged if only the range differs.
final class VideoLevels: Sendable {
    /// The format of frames with full levels; `nil` while frames have video levels.
    private let format = Mutex<VideoInfo?>(nil)
    private let label = Mutex<(source: Caps, result: Caps)?>(nil)

    init() {}

    /// Reduces the levels of the frames that pass a pad, in I420 or NV12.
    func attach(to pad: Pad) throws(PipelineError) {
        try pad.probeEvents { [weak self] event in
            if case .caps(let caps) = event { self?.follow(caps) }
            return .pass
        }
        try pad.probeBuffers { [weak self] buffer in
            self?.reduce(&buffer)
            return .pass
        }
    }

    /// Returns the sample of an encoder, whose caps repeat the levels before the reduction, with caps that state the levels
    /// after it.
    func labeled(_ sample: Sample) -> Sample {
        guard let caps = sample.caps, let buffer = sample.buffer else { return sample }
        let result = label.withLock { label in
            if let label, label.source == caps { return label.result }
            // The first number is the range: 1 for full levels, 2 for video levels (GstVideoColorRange).
            let text = caps.description.replacing("colorimetry=(string)1:", with: "colorimetry=(string)2:")
            let result = (try? Caps(text)) ?? caps
            label = (caps, result)
            return result
        }
        return result == caps ? sample : Sample(buffer, caps: result)
    }

    private func follow(_ caps: Caps) {
        let info = caps.videoInfo
        format.withLock { $0 = info?.isFullRange == true ? info : nil }
    }

    private func reduce(_ buffer: inout ProbedBuffer) {
        guard let info = format.withLock({ $0 }) else { return }
        buffer.withWritableVideoFrameIfMapped(info) { frame in
            for plane in 0..<frame.planeCount {
                frame.withPlane(plane) { bytes, _ in
                    bytes.withUnsafeMutableBytes { Self.reduce($0, plane == 0 ? .luma : .chroma) }
                }
            }
        }
    }

    /// `level · gain / 256`, shifted: 219/255 and 224/255 of a level, with 16 as the lowest one.
    struct Kernel {
        let gain: UInt16
        let offset: UInt16

        static let luma = Kernel(gain: 220, offset: 16 * 256 + 128)
        static let chroma = Kernel(gain: 225, offset: 16 * 256)
    }

    static func reduce(_ bytes: UnsafeMutableRawBufferPointer, _ kernel: Kernel) {
        for index in bytes.indices {
            let level = UInt16(bytes[index]) &* kernel.gain &+ kernel.offset
            bytes[index] = UInt8(truncatingIfNeeded: level &>> 8)
        }
    }
}
