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
        case semiplanar
        case packed(lumaFirst: Bool)
    }

    private let layout: Layout

    /// Formats that can be expanded: all 8-bit YCbCr formats that cameras give.
    init?(format: String) {
        switch format {
        case "I420", "YV12", "Y42B", "Y41B", "Y444", "GRAY8": layout = .planar
        case "NV12", "NV21", "NV16": layout = .semiplanar
        case "YUY2", "YVYU": layout = .packed(lumaFirst: true)
        case "UYVY": layout = .packed(lumaFirst: false)
        default: return nil
        }
    }

    /// Expands all planes.
    func apply(to frame: inout WritableVideoFrame) {
        for index in 0..<frame.planeCount {
            let kernel = kernel(for: index)
            frame.withPlane(index) { bytes, layout in
                bytes.withUnsafeMutableBytes { kernel.apply(to: $0, layout) }
            }
        }
    }

    private func kernel(for plane: Int) -> LevelKernel {
        switch layout {
        case .packed(let lumaFirst): lumaFirst ? .packedLumaFirst : .packedChromaFirst
        case .planar, .semiplanar: plane == 0 ? .luma : .chroma
        }
    }
}

/// One pass over a plane: `x + x·gain/1024` above the foot room, sixteen bytes at a time.
private struct LevelKernel: Sendable {
    let gain: SIMD16<UInt16>
    let rounding: SIMD16<UInt16>

    // (255/219 − 1)·1024 = 168.3 and (255/224 − 1)·1024 = 141.7. Half a step rounds; chroma, whose 16...240 around 128
    // becomes 0.5...255.5 around 128, lies another half step higher.
    private static let lumaGain: UInt16 = 168
    private static let chromaGain: UInt16 = 142
    private static let lumaRounding: UInt16 = 512
    private static let chromaRounding: UInt16 = 1024

    static let luma = LevelKernel(gain: .init(repeating: lumaGain), rounding: .init(repeating: lumaRounding))
    static let chroma = LevelKernel(gain: .init(repeating: chromaGain), rounding: .init(repeating: chromaRounding))
    static let packedLumaFirst = LevelKernel(even: luma, odd: chroma)
    static let packedChromaFirst = LevelKernel(even: chroma, odd: luma)

    init(gain: SIMD16<UInt16>, rounding: SIMD16<UInt16>) {
        self.gain = gain
        self.rounding = rounding
    }

    private init(even: LevelKernel, odd: LevelKernel) {
        var (gain, rounding) = (even.gain, even.rounding)
        gain.oddHalf = odd.gain.oddHalf
        rounding.oddHalf = odd.rounding.oddHalf
        self.init(gain: gain, rounding: rounding)
    }

    func apply(to bytes: UnsafeMutableRawBufferPointer, _ layout: PlaneLayout) {
        for row in 0..<layout.rows {
            let start = row * layout.stride
            apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + layout.rowBytes]))
        }
    }

    private func apply(to row: UnsafeMutableRawBufferPointer) {
        var offset = 0
        while offset + 16 <= row.count {
            let levels = row.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            row.storeBytes(of: expand(levels), toByteOffset: offset, as: SIMD16<UInt8>.self)
            offset += 16
        }
        for index in offset..<row.count {
            // The tail is expanded in the lane that its position has.
            var levels = SIMD16<UInt8>()
            levels[index - offset] = row[index]
            row[index] = expand(levels)[index - offset]
        }
    }

    private func expand(_ levels: SIMD16<UInt8>) -> SIMD16<UInt8> {
        let wide = SIMD16<UInt16>(truncatingIfNeeded: levels)
        let raised = wide.clamped(lowerBound: .init(repeating: 16), upperBound: .init(repeating: 240)) &- 16
        let full = raised &+ ((raised &* gain &+ rounding) &>> 10)
        return SIMD16<UInt8>(truncatingIfNeeded: full.clamped(lowerBound: .zero, upperBound: .init(repeating: 255)))
    }
}
