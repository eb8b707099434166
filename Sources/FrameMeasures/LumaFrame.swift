// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The luma of a preview frame as gates see it, averaged in squares down to at most 160 pixels in a row unless set
/// otherwise.
///
/// A frame is filled again for each preview frame. It allocates only if the size changes. A value type without thread
/// affinity.
public struct LumaFrame: Sendable, Hashable {
    /// The default maximum of pixels in a row.
    public static let widest = 160
    private var widest = Self.widest

    /// The number of pixels in a row; 0 before the first frame.
    public private(set) var width = 0
    /// The number of rows.
    public private(set) var height = 0
    /// The side of the square of preview pixels that is averaged into one pixel.
    public private(set) var scale = 1
    /// The level of black: 0, or 16 in video levels.
    public private(set) var black: UInt8 = 0
    /// The level of white: 255, or 235 in video levels.
    public private(set) var white: UInt8 = 255
    /// The levels row by row, without padding.
    package private(set) var levels: [UInt8] = []
    /// The column sums of one row of squares.
    private var columns: [UInt16] = []

    /// Creates an empty frame.
    public init() {}

    /// Creates an empty frame of at most this many pixels in a row.
    package init(widest: Int) { self.widest = max(1, widest) }

    /// Creates a frame from levels of full range.
    init(width: Int, height: Int, scale: Int, levels: [UInt8]) {
        precondition(levels.count == width * height)
        (self.width, self.height, self.scale, self.levels) = (width, height, scale, levels)
    }

    /// Fills the frame from a raw frame of the preview. For RGB it uses green, the largest part of luma.
    ///
    /// - Returns: `false` if the format has no known place for luma, or the buffer does not fit the format. The levels
    ///   are then unchanged.
    public mutating func fill(from buffer: Buffer, _ info: VideoInfo) -> Bool {
        guard let pattern = LumaPattern(info.videoFormat) else { return false }
        let filled = try? buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeBytes { fill(from: $0, layout, pattern.bytes, width: info.width) }
            }
        }
        guard filled == .some(true) else { return false }
        let isFullRange = info.isFullRange || pattern.isRGB
        (black, white) = isFullRange ? (0, 255) : (16, 235)
        return true
    }

    /// Uses whole squares only: the rest at the right and at the bottom is ignored.
    private mutating func fill(
        from bytes: UnsafeRawBufferPointer, _ layout: PlaneLayout, _ pattern: BytePattern, width pixels: Int
    ) -> Bool {
        let pixels = min(pixels, layout.rowBytes / pattern.step)
        let side = (pixels + widest - 1) / widest
        // A 16-bit column sum holds this many rows.
        guard (1...256).contains(side), layout.rows >= side,
            let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        else { return false }
        resize(to: pixels / side, layout.rows / side, side)
        let first = base + pattern.offsets[pattern.offsets.count / 2]
        columns.withUnsafeMutableBufferPointer { columns in
            levels.withUnsafeMutableBufferPointer { levels in
                guard let sums = columns.baseAddress, let output = levels.baseAddress else { return }
                for row in 0..<height {
                    let top = first + row * side * layout.stride
                    Self.add(top, layout.stride, rows: side, pattern.step, to: sums, width * side)
                    // The side for 640 × 360, as a constant, so that the compiler can specialize the loop.
                    if side == 4 {
                        Self.average(sums, to: output + row * width, width, 4)
                    } else {
                        Self.average(sums, to: output + row * width, width, side)
                    }
                }
            }
        }
        return true
    }

    private mutating func resize(to width: Int, _ height: Int, _ side: Int) {
        guard (self.width, self.height, scale) != (width, height, side) else { return }
        (self.width, self.height, scale) = (width, height, side)
        levels = [UInt8](repeating: 0, count: width * height)
        columns = [UInt16](repeating: 0, count: width * side)
    }

    /// Adds up rows. Compilers turn the loop into SIMD if the step is a constant.
    private static func add(
        _ top: UnsafePointer<UInt8>, _ stride: Int, rows: Int, _ step: Int, to sums: UnsafeMutablePointer<UInt16>,
        _ count: Int
    ) {
        sums.update(repeating: 0, count: count)
        for row in 0..<rows {
            let line = top + row * stride
            switch step {
            case 1: add(line, 1, to: sums, count)
            case 2: add(line, 2, to: sums, count)
            default: add(line, step, to: sums, count)
            }
        }
    }

    @inline(__always)
    private static func add(
        _ line: UnsafePointer<UInt8>, _ step: Int, to sums: UnsafeMutablePointer<UInt16>, _ count: Int
    ) {
        var index = 0
        while index < count {
            sums[index] &+= UInt16(line[index &* step])
            index &+= 1
        }
    }

    @inline(__always)
    private static func average(
        _ sums: UnsafePointer<UInt16>, to output: UnsafeMutablePointer<UInt8>, _ width: Int, _ side: Int
    ) {
        let area = UInt32(side * side)
        for column in 0..<width {
            var sum = area / 2
            for index in column &* side..<(column &+ 1) &* side { sum &+= UInt32(sums[index]) }
            output[column] = UInt8(truncatingIfNeeded: sum / area)
        }
    }
}
