// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Where the bytes of a kind lie in a plane.
struct BytePattern {
    /// Bytes from one pixel, or group of pixels, to the next.
    let step: Int
    /// The bytes of each that count.
    let offsets: [Int]

    /// The mean of those bytes in about 64 × 48 pixels, spread evenly.
    func mean(of bytes: UnsafeRawBufferPointer, _ layout: PlaneLayout) -> Double {
        let columns = layout.rowBytes / step
        let (across, down) = (max(1, columns / 64), max(1, layout.rows / 48))
        var (sum, count) = (0, 0)
        for row in stride(from: 0, to: layout.rows, by: down) {
            for column in stride(from: 0, to: columns, by: across) {
                let pixel = row * layout.stride + column * step
                for offset in offsets { sum += Int(bytes[pixel + offset]) }
                count += offsets.count
            }
        }
        return count == 0 ? 0 : Double(sum) / Double(count)
    }
}
