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

    /// Expands the bytes of each row.
    package func apply(to rows: PlaneRows) {
        for row in 0..<rows.count { expand(rows.source(row), rows.target(row), rows.length) }
    }

    /// Expands the bytes of each row: the even ones, from the first, with this kernel, the odd ones with another. One
    /// pass over neighboring bytes becomes SIMD code; two passes over every second byte take ten times as long.
    package func apply(to rows: PlaneRows, odd: LevelKernel) {
        for row in 0..<rows.count {
            let (source, target) = (rows.source(row), rows.target(row))
            expand(source, target, rows.length / 2, odd)
            if rows.length % 2 == 1 { target[rows.length - 1] = expand(source[rows.length - 1]) }
        }
    }

    private func expand(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { target[index] = expand(source[index]) }
    }

    private func expand(
        _ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ pairs: Int, _ odd: LevelKernel
    ) {
        for index in 0..<pairs {
            target[index &* 2] = expand(source[index &* 2])
            target[index &* 2 &+ 1] = odd.expand(source[index &* 2 &+ 1])
        }
    }

    @inline(__always)
    private func expand(_ level: UInt8) -> UInt8 {
        let raised = max(level, 16) &- 16
        let extra = UInt8(truncatingIfNeeded: (UInt16(raised) &* gain &+ rounding) &>> 10)
        // A saturating addition: values stay bytes, of which sixteen fit a vector.
        return min(raised, 255 &- extra) &+ extra
    }
}
