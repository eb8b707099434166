// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The brightness and the sharpness of a frame. With them the user finds the dark and blurred pictures of a series.
package struct PictureMeasure: Sendable, Hashable {
    /// The mean luma, 0 black to 1 white.
    package let brightness: Double
    /// The variance of the Laplacian of luma (0 to 255), over rows spread evenly.
    package let sharpness: Double

    /// Measures a raw frame; `nil` for formats whose luma cannot be found, or for less than 3 × 3 pixels.
    package init?(_ buffer: Buffer, _ info: VideoInfo) {
        guard let brightness = Brightness.mean(of: buffer, info), let pattern = LumaPattern(info.videoFormat) else {
            return nil
        }
        let kernel = try? buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeBytes { LaplacianKernel(pattern.bytes, width: info.width, of: $0, layout) }
            }
        }
        guard let variance = kernel.flatMap({ $0 })?.variance else { return nil }
        (self.brightness, sharpness) = (brightness, variance)
    }
}

/// The difference of each pixel's luma from its four neighbors, over at most 125 rows of a plane, spread evenly.
private struct LaplacianKernel {
    private var sum: Int64 = 0
    private var squares: Int64 = 0
    private var count: Int64 = 0

    init(_ pattern: BytePattern, width: Int, of bytes: UnsafeRawBufferPointer, _ layout: PlaneLayout) {
        // In RGB, green makes up most of luma.
        let offset = pattern.offsets[pattern.offsets.count / 2]
        let columns = min(width, layout.rowBytes / pattern.step)
        guard columns >= 3, layout.rows >= 3, let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
            return
        }
        for row in stride(from: 1, to: layout.rows - 1, by: max(1, layout.rows / 64)) {
            let middle = base + row * layout.stride + offset
            if pattern.step == 1 {
                add(middle, layout.stride, columns, 1)
            } else {
                add(middle, layout.stride, columns, pattern.step)
            }
        }
    }

    var variance: Double? {
        guard count > 0 else { return nil }
        let mean = Double(sum) / Double(count)
        return Double(squares) / Double(count) - mean * mean
    }

    /// Adds a row, in a loop that compilers turn into SIMD for a constant step. A Laplacian is at most 1020, and a row
    /// at most 16384 pixels.
    @inline(__always)
    private mutating func add(_ row: UnsafePointer<UInt8>, _ stride: Int, _ columns: Int, _ step: Int) {
        var (rowSum, rowSquares) = (Int32(0), Int64(0))
        var column = 1
        while column < columns &- 1 {
            // The sum of this many squares fits into 32 bits.
            let end = min(column &+ 1024, columns &- 1)
            var squares = Int32(0)
            for index in column..<end {
                let place = index &* step
                let sides = Int32(row[place &- step]) &+ Int32(row[place &+ step])
                let ends = Int32(row[place &- stride]) &+ Int32(row[place &+ stride])
                let difference = Int32(row[place]) &* 4 &- sides &- ends
                rowSum &+= difference
                squares &+= difference &* difference
            }
            rowSquares &+= Int64(squares)
            column = end
        }
        sum += Int64(rowSum)
        squares += rowSquares
        count += Int64(columns - 2)
    }
}
