// Part of gst-capture. Apache License 2.0, see LICENSE.

import StillKit

/// Turns and mirrors the samples of a plane, so that a picture is upright.
struct PlaneTurn {
    /// The size of the plane as stored, in samples.
    private let width: Int, height: Int
    private let orientation: Orientation

    init(width: Int, height: Int, _ orientation: Orientation) {
        (self.width, self.height, self.orientation) = (width, height, orientation)
    }

    /// Writes the upright plane.
    ///
    /// - Parameters:
    ///   - stride: The samples from one row of `source` to the next.
    ///   - turnedStride: The samples from one row of `target` to the next. It has `height` columns if the orientation
    ///     exchanges the axes.
    func apply<Element>(
        from source: UnsafePointer<Element>, _ stride: Int, to target: UnsafeMutablePointer<Element>,
        _ turnedStride: Int
    ) {
        let (columns, rows) = orientation.swapsAxes ? (height, width) : (width, height)
        // The places of the first sample of the upright plane, and of those right of it and below it.
        let first = place(0, 0)
        let right = columns > 1 ? difference(place(1, 0), first) : (0, 0)
        let down = rows > 1 ? difference(place(0, 1), first) : (0, 0)
        let step = right.0 + right.1 * stride
        for row in 0..<rows {
            var from = source + (first.0 + down.0 * row) + (first.1 + down.1 * row) * stride
            let to = target + row * turnedStride
            for column in 0..<columns {
                to[column] = from.pointee
                if column + 1 < columns { from += step }
            }
        }
    }

    private func difference(_ left: (Int, Int), _ right: (Int, Int)) -> (Int, Int) {
        (left.0 - right.0, left.1 - right.1)
    }

    /// Returns the place of a sample of the upright plane in the stored one.
    private func place(_ x: Int, _ y: Int) -> (Int, Int) {
        switch orientation {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .upsideDown: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .turnedRight: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .turnedLeft: (width - 1 - y, x)
        }
    }
}
