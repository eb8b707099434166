// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The position of the bytes of one component in a plane.
struct BytePattern {
    /// Bytes from one pixel, or group of pixels, to the next.
    let step: Int
    /// The offsets of the component's bytes in each step.
    let offsets: [Int]

    /// Returns the mean of those bytes on a grid of 64 to 127 columns and 48 to 95 rows, or of all pixels of a smaller
    /// plane.
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
