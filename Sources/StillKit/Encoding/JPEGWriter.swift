// Part of gst-capture. Apache License 2.0, see LICENSE.

import CPictures
import CaptureBase
import PipelineKit

/// Encodes raw frames as JPEG with libjpeg-turbo, from the planes as they are: 4:2:2 stays 4:2:2, and packed frames are
/// taken apart band by band.
///
/// One call at a time uses it; it keeps its memory from one picture to the next.
// `@unchecked`: a handle of C that one call at a time uses, as its owner, StillEncoder, ensures.
final class JPEGWriter: @unchecked Sendable {
    private let writer: OpaquePointer
    private let layout: Layout
    private let quality: Int
    private let expandsLevels: Bool

    /// The places of the samples of Y, Cb and Cr in a frame.
    private struct Layout {
        /// The plane of each component, its first byte there, and the bytes from one sample to the next.
        let components: [(plane: Int, offset: Int, step: Int)]
        /// Pixels for each sample of chroma.
        let across: UInt32, down: UInt32

        init?(_ format: String) {
            switch format {
            case "GRAY8": self.init([(0, 0, 1)], 1, 1)
            case "I420": self.init(Self.planes, 2, 2)
            case "YV12": self.init([(0, 0, 1), (2, 0, 1), (1, 0, 1)], 2, 2)
            case "Y42B": self.init(Self.planes, 2, 1)
            case "Y41B": self.init(Self.planes, 4, 1)
            case "Y444": self.init(Self.planes, 1, 1)
            case "NV12": self.init([(0, 0, 1), (1, 0, 2), (1, 1, 2)], 2, 2)
            case "NV21": self.init([(0, 0, 1), (1, 1, 2), (1, 0, 2)], 2, 2)
            case "YUY2": self.init([(0, 0, 2), (0, 1, 4), (0, 3, 4)], 2, 1)
            case "YVYU": self.init([(0, 0, 2), (0, 3, 4), (0, 1, 4)], 2, 1)
            case "UYVY": self.init([(0, 1, 2), (0, 0, 4), (0, 2, 4)], 2, 1)
            default: return nil
            }
        }

        private init(_ components: [(Int, Int, Int)], _ across: UInt32, _ down: UInt32) {
            self.components = components.map { (plane: $0.0, offset: $0.1, step: $0.2) }
            (self.across, self.down) = (across, down)
        }

        private static let planes = [(0, 0, 1), (1, 0, 1), (2, 0, 1)]
    }

    /// Creates a writer for frames of a format; `nil` if they must be converted first, if the quality is out of range, or
    /// without memory.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - expandsLevels: `true` to expand video levels to the full range, which JPEG has.
    init?(format: String, quality: Int, expandsLevels: Bool) {
        guard (0...100).contains(quality), let layout = Layout(format), let writer = cpic_writer_new() else {
            return nil
        }
        (self.writer, self.layout) = (writer, layout)
        (self.quality, self.expandsLevels) = (quality, expandsLevels)
    }

    deinit { cpic_writer_free(writer) }

    /// Encodes a frame. Blocks, for milliseconds.
    ///
    /// - Throws: ``CaptureError`` if the frame cannot be read or encoded.
    func write(_ frame: Sample) throws(CaptureError) -> [UInt8] {
        do {
            guard let buffer = frame.buffer, let info = frame.caps?.videoInfo else {
                throw PipelineError(.map, "it is no raw video")
            }
            return try buffer.withVideoFrame(info) { frame throws(PipelineError) in
                try self.withSource(of: frame) { source throws(PipelineError) in try self.bytes(of: source) }
            }
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be encoded: \(error)", subject: "encoder")
        }
    }

    /// Draws a pattern in which rows, components and levels can be told apart: luma and Cb rise from row to row, and Cr
    /// falls.
    func drawPattern(on frame: inout WritableVideoFrame) {
        for (number, component) in layout.components.enumerated() {
            frame.withPlane(component.plane) { bytes, plane in
                bytes.withUnsafeMutableBytes { bytes in
                    for row in 0..<plane.rows {
                        let level = UInt8(64 + 128 * row / plane.rows)
                        let start = row * plane.stride + component.offset
                        let end = min(row * plane.stride + plane.rowBytes, bytes.count)
                        for place in stride(from: start, to: end, by: component.step) {
                            bytes[place] = number == 2 ? 255 - level : level
                        }
                    }
                }
            }
        }
    }

    private func bytes(of source: cpic_frame) throws(PipelineError) -> [UInt8] {
        var (source, bytes, count) = (source, UnsafePointer<UInt8>?.none, 0)
        guard cpic_write_jpeg(writer, &source, Int32(quality), &bytes, &count) == CPIC_OK else {
            throw PipelineError(.flow, String(cString: cpic_writer_message(writer)))
        }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Lends the frame's planes to `body`.
    private func withSource<Result>(
        of frame: borrowing VideoFrame, _ body: (cpic_frame) throws(PipelineError) -> Result
    ) throws(PipelineError) -> Result {
        let info = frame.info
        var source = cpic_frame()
        (source.width, source.height) = (UInt32(info.width), UInt32(info.height))
        (source.across, source.down) = (layout.across, layout.down)
        source.components = UInt32(layout.components.count)
        source.expands_levels = expandsLevels
        var (planes, strides, steps) = ([UnsafePointer<UInt8>?](), [Int](), [Int]())
        for component in layout.components {
            // The frame stays mapped until the end of this call.
            let isLuma = planes.isEmpty
            let (across, down) = isLuma ? (1, 1) : (Int(layout.across), Int(layout.down))
            let (width, height) = ((info.width + across - 1) / across, (info.height + down - 1) / down)
            let place = frame.withPlane(component.plane) { bytes, layout in
                // The last row may lack its padding.
                let end = (height - 1) * layout.stride + component.offset + (width - 1) * component.step + 1
                return bytes.withUnsafeBytes { ($0.count >= end ? $0.baseAddress : nil, layout.stride) }
            }
            guard let place, let base = place.0 else {
                throw PipelineError(.map, "plane \(component.plane) of a frame cannot be mapped")
            }
            planes.append((base + component.offset).assumingMemoryBound(to: UInt8.self))
            strides.append(place.1)
            steps.append(component.step)
        }
        while planes.count < 3 {
            planes.append(nil)
            strides.append(0)
            steps.append(1)
        }
        source.planes = (planes[0], planes[1], planes[2])
        source.strides = (strides[0], strides[1], strides[2])
        source.steps = (steps[0], steps[1], steps[2])
        return try body(source)
    }
}
