// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Stretches video levels (16...235, chroma 16...240) to the full levels (0...255) that JPEG, by JFIF, always has.
///
/// GStreamer's converter leaves the levels as they are where only the range differs, and its JPEG encoder does not look:
/// black would be dark grey and white light grey in every viewer. Frames are changed in place.
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

    /// Expands all planes.
    func apply(to frame: inout WritableVideoFrame) {
        for index in 0..<frame.planeCount {
            for part in parts(of: index) {
                frame.withPlane(index) { bytes, layout in
                    bytes.withUnsafeMutableBytes {
                        part.kernel.apply(to: $0, layout, start: part.start, step: part.step)
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
    func apply(to bytes: UnsafeMutableRawBufferPointer, _ layout: PlaneLayout, start: Int, step: Int) {
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        for row in 0..<layout.rows {
            let first = base + row * layout.stride + start
            if step == 1 { expand(first, layout.rowBytes) } else { expandEverySecond(first, layout.rowBytes / 2) }
        }
    }

    private func expand(_ first: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { first[index] = expand(first[index]) }
    }

    private func expandEverySecond(_ first: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { first[index &* 2] = expand(first[index &* 2]) }
    }

    @inline(__always)
    private func expand(_ level: UInt8) -> UInt8 {
        let raised = UInt16(truncatingIfNeeded: min(max(level, 16), 240)) &- 16
        let full = raised &+ ((raised &* gain &+ rounding) &>> 10)
        return UInt8(truncatingIfNeeded: min(full, 255))
    }
}
