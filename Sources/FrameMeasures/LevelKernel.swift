// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Expands the luma or chroma bytes of a plane in one pass: `x + x·gain/1024` above the foot room. Compilers turn its
/// loop into SIMD code.
package struct LevelKernel: Sendable {
    private let gain: UInt16
    private let rounding: UInt16

    // (255/219 − 1)·1024 = 168.3 and (255/224 − 1)·1024 = 141.7. Half a step rounds. Chroma needs another half step:
    // its 16...240 around 128 becomes 0.5...255.5 around 128.
    package static let luma = LevelKernel(gain: 168, rounding: 512)
    package static let chroma = LevelKernel(gain: 142, rounding: 1024)

    /// Expands the bytes of each row, beginning with the byte at `start`.
    ///
    /// - Parameter step: 1 for all bytes, with a `start` of 0; 2 for every second byte.
    package func apply(to rows: PlaneRows, _ start: Int, _ step: Int) {
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
        let raised = max(level, 16) &- 16
        let extra = UInt8(truncatingIfNeeded: (UInt16(raised) &* gain &+ rounding) &>> 10)
        // A saturating addition: values stay bytes, of which sixteen fit a vector.
        return min(raised, 255 &- extra) &+ extra
    }
}
