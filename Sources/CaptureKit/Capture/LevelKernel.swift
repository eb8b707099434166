// Part of gst-capture. Apache License 2.0, see LICENSE.

/// One pass over the bytes of a kind in a plane: `x + x·gain/1024` above the foot room. The loop is one that compilers
/// turn into SIMD.
struct LevelKernel: Sendable {
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
        let raised = max(level, 16) &- 16
        let extra = UInt8(truncatingIfNeeded: (UInt16(raised) &* gain &+ rounding) &>> 10)
        // An addition that saturates: bytes stay bytes, sixteen of which make a vector.
        return min(raised, 255 &- extra) &+ extra
    }
}
