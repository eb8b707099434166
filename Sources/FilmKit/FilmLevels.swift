// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Reduces the full levels of pictures (0...255) to those of video (16...235, chroma 16...240), and makes a frame brighter
/// or darker, in one pass.
struct FilmLevels: Sendable {
    private let luma: Int32
    private let chroma: Int32

    /// - Parameter gain: A factor of brightness; 1 for none.
    init(gain: Double = 1) {
        luma = Int32((219.0 / 255 * gain * 65536).rounded())
        chroma = Int32((224.0 / 255 * gain * 65536).rounded())
    }

    /// Changes a frame of I420 in place.
    func apply(to frame: inout WritableVideoFrame) {
        for plane in 0..<frame.planeCount {
            frame.withPlane(plane) { bytes, layout in
                bytes.withUnsafeMutableBytes { bytes in
                    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                    for row in 0..<layout.rows {
                        let row = start + row * layout.stride
                        if plane == 0 {
                            applyLuma(row, layout.rowBytes)
                        } else {
                            applyChroma(row, layout.rowBytes)
                        }
                    }
                }
            }
        }
    }

    /// Makes a frame of I420 black, in full levels.
    static func blacken(_ frame: inout WritableVideoFrame) {
        for plane in 0..<frame.planeCount {
            frame.withPlane(plane) { bytes, _ in
                bytes.withUnsafeMutableBytes { bytes in
                    _ = bytes.initializeMemory(as: UInt8.self, repeating: plane == 0 ? 0 : 128)
                }
            }
        }
    }

    // Loops that compilers turn into SIMD.

    private func applyLuma(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let factor = luma
        for index in 0..<count {
            let level = (Int32(row[index]) &* factor &+ 32768) &>> 16
            row[index] = UInt8(truncatingIfNeeded: min(level, 219) &+ 16)
        }
    }

    private func applyChroma(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let factor = chroma
        for index in 0..<count {
            let level = ((Int32(row[index]) &- 128) &* factor &+ 32768) &>> 16
            row[index] = UInt8(truncatingIfNeeded: min(112, max(-112, level)) &+ 128)
        }
    }
}
