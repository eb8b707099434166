// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Stretches video levels (16...235, chroma 16...240) to the full levels (0...255) that JPEG, by JFIF, always has.
///
/// GStreamer's converter leaves the levels as they are where only the range differs, and its JPEG encoder does not look:
/// black would be dark grey and white light grey in every viewer.
struct RangeExpansion: Sendable {
    /// Where luma and chroma lie in the planes of a format.
    private enum Layout {
        case planar
        case packed(lumaFirst: Bool)
    }

    private let layout: Layout

    /// Formats that can be expanded: all 8-bit YCbCr formats that cameras give.
    init?(format: String) {
        switch format {
        case "I420", "YV12", "Y42B", "Y41B", "Y444", "GRAY8", "NV12", "NV21", "NV16": layout = .planar
        case "YUY2", "YVYU": layout = .packed(lumaFirst: true)
        case "UYVY": layout = .packed(lumaFirst: false)
        default: return nil
        }
    }

    /// Writes all planes of a frame, expanded, into another of the same format and size.
    func apply(from input: borrowing VideoFrame, to output: inout WritableVideoFrame) {
        for index in 0..<input.planeCount {
            input.withPlane(index) { source, sourceLayout in
                output.withPlane(index) { target, targetLayout in
                    source.withUnsafeBytes { source in
                        target.withUnsafeMutableBytes { target in
                            let rows = PlaneRows(source, sourceLayout, target, targetLayout)
                            for part in parts(of: index) { part.kernel.apply(to: rows, part.start, part.step) }
                        }
                    }
                }
            }
        }
    }

    private func parts(of plane: Int) -> [(kernel: LevelKernel, start: Int, step: Int)] {
        switch layout {
        case .packed(let lumaFirst): [(.luma, lumaFirst ? 0 : 1, 2), (.chroma, lumaFirst ? 1 : 0, 2)]
        case .planar: [(plane == 0 ? .luma : .chroma, 0, 1)]
        }
    }
}

/// The rows of a plane in two frames of the same format, which may lie differently.
private struct PlaneRows {
    private let sourceBase: UnsafePointer<UInt8>, targetBase: UnsafeMutablePointer<UInt8>
    private let sourceStride: Int, targetStride: Int
    /// How many rows there are.
    let count: Int
    /// Bytes of a row.
    let length: Int

    init(
        _ source: UnsafeRawBufferPointer, _ sourceLayout: PlaneLayout, _ target: UnsafeMutableRawBufferPointer,
        _ targetLayout: PlaneLayout
    ) {
        sourceBase = source.assumingMemoryBound(to: UInt8.self).baseAddress.unsafelyUnwrapped
        targetBase = target.assumingMemoryBound(to: UInt8.self).baseAddress.unsafelyUnwrapped
        (sourceStride, targetStride) = (sourceLayout.stride, targetLayout.stride)
        count = min(sourceLayout.rows, targetLayout.rows)
        length = min(sourceLayout.rowBytes, targetLayout.rowBytes)
    }

    func source(_ row: Int) -> UnsafePointer<UInt8> { sourceBase + row * sourceStride }
    func target(_ row: Int) -> UnsafeMutablePointer<UInt8> { targetBase + row * targetStride }
}

/// One pass over the bytes of a kind in a plane: `x + x·gain/1024` above the foot room. The loop is one that compilers
/// turn into SIMD.
private struct LevelKernel: Sendable {
    let gain: UInt16
    let rounding: UInt16

    // (255/219 − 1)·1024 = 168.3 and (255/224 − 1)·1024 = 141.7. Half a step rounds; chroma, whose 16...240 around 128
    // becomes 0.5...255.5 around 128, lies another half step higher.
    static let luma = LevelKernel(gain: 168, rounding: 512)
    static let chroma = LevelKernel(gain: 142, rounding: 1024)

    /// Every `step`th byte of each row, from the first on that `start` names.
    func apply(to rows: PlaneRows, _ start: Int, _ step: Int) {
        for row in 0..<rows.count {
            let (source, target) = (rows.source(row) + start, rows.target(row) + start)
            if step == 1 { expand(source, target, rows.length) } else { expandHalf(source, target, rows.length / 2) }
        }
    }

    private func expand(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { target[index] = expand(source[index]) }
    }

    private func expandHalf(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { target[index &* 2] = expand(source[index &* 2]) }
    }

    @inline(__always)
    private func expand(_ level: UInt8) -> UInt8 {
        let raised = UInt16(truncatingIfNeeded: min(max(level, 16), 240)) &- 16
        let full = raised &+ ((raised &* gain &+ rounding) &>> 10)
        return UInt8(truncatingIfNeeded: min(full, 255))
    }
}
