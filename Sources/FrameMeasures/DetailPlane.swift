// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The fine structure of a picture: each pixel minus the mean of its surroundings, plus 128.
///
/// Light that brightens, fades, flickers, or crosses the picture in bands hardly changes it, so two pictures can be
/// compared in any light. A plane allocates only if the frame size changes.
struct DetailPlane: Sendable {
    /// The radius of the square over which the mean is computed.
    static let radius = 3

    private(set) var width = 0
    private(set) var height = 0
    private(set) var levels: [UInt8] = []
    private var sums: [UInt16] = []

    mutating func fill(from frame: LumaFrame) {
        if (width, height) != (frame.width, frame.height) {
            (width, height) = (frame.width, frame.height)
            levels = [UInt8](repeating: 128, count: width * height)
            sums = [UInt16](repeating: 0, count: width + 2 * Self.radius)
        }
        guard width > 0, height > 0 else { return }
        frame.levels.withUnsafeBufferPointer { source in
            levels.withUnsafeMutableBufferPointer { target in
                sums.withUnsafeMutableBufferPointer { sums in
                    guard let source = source.baseAddress, let target = target.baseAddress, let sums = sums.baseAddress
                    else { return }
                    Self.filter(source, target, sums, width, height)
                }
            }
        }
    }

    /// Moves a window of column sums down the picture, row by row. Beyond the borders the last pixel repeats.
    private static func filter(
        _ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ sums: UnsafeMutablePointer<UInt16>,
        _ width: Int, _ height: Int
    ) {
        let middle = sums + radius
        middle.update(repeating: 0, count: width)
        for row in -radius...radius { add(source + min(max(row, 0), height - 1) * width, to: middle, width) }
        for row in 0..<height {
            extend(middle, width)
            subtractMeans(sums, from: source + row * width, to: target + row * width, width)
            add(source + min(row + radius + 1, height - 1) * width, to: middle, width)
            subtract(source + max(row - radius, 0) * width, from: middle, width)
        }
    }

    private static func add(_ row: UnsafePointer<UInt8>, to sums: UnsafeMutablePointer<UInt16>, _ count: Int) {
        var index = 0
        while index < count {
            sums[index] &+= UInt16(row[index])
            index &+= 1
        }
    }

    private static func subtract(_ row: UnsafePointer<UInt8>, from sums: UnsafeMutablePointer<UInt16>, _ count: Int) {
        var index = 0
        while index < count {
            sums[index] &-= UInt16(row[index])
            index &+= 1
        }
    }

    private static func extend(_ middle: UnsafeMutablePointer<UInt16>, _ width: Int) {
        for index in 1...radius {
            middle[-index] = middle[0]
            middle[width - 1 + index] = middle[width - 1]
        }
    }

    private static func subtractMeans(
        _ sums: UnsafePointer<UInt16>, from row: UnsafePointer<UInt8>, to output: UnsafeMutablePointer<UInt8>,
        _ width: Int
    ) {
        let side = 2 &* radius &+ 1
        // A multiplication instead of a division by the 49 pixels: at most 49 · 255 · 1337 fits into 32 bits.
        let reciprocal = Int32(65536 / (side &* side))
        var sum = Int32(0)
        for index in 0..<side { sum &+= Int32(sums[index]) }
        var column = 0
        while column < width {
            let detail = Int32(row[column]) &- (sum &* reciprocal &+ 32768) &>> 16
            output[column] = UInt8(truncatingIfNeeded: min(max(detail &+ 128, 0), 255))
            sum &+= Int32(sums[min(column &+ side, width &+ side &- 2)]) &- Int32(sums[column])
            column &+= 1
        }
    }
}
