// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Four corners in a picture, clockwise from the one that becomes the top left.
public struct Quadrilateral: Sendable, Hashable {
    /// The place of the top left corner.
    public var topLeft: PixelPoint
    /// The place of the top right corner.
    public var topRight: PixelPoint
    /// The place of the bottom right corner.
    public var bottomRight: PixelPoint
    /// The place of the bottom left corner.
    public var bottomLeft: PixelPoint

    /// Creates a quadrilateral.
    public init(topLeft: PixelPoint, topRight: PixelPoint, bottomRight: PixelPoint, bottomLeft: PixelPoint) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    /// The corners, clockwise from the top left.
    public var corners: [PixelPoint] { [topLeft, topRight, bottomRight, bottomLeft] }
}

extension Quadrilateral {
    /// Creates a quadrilateral from four corners in the order of ``corners``.
    package init(_ corners: [PixelPoint]) {
        self.init(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
    }

    /// The top, right, bottom and left side, each from corner to corner, clockwise.
    var sides: [(from: PixelPoint, to: PixelPoint)] { (0..<4).map { (corners[$0], corners[($0 + 1) % 4]) } }

    /// The sides as lines.
    var lines: [EdgeLine] { sides.map { EdgeLine(from: $0.from, to: $0.to) } }

    /// The mean lengths of opposite sides.
    var meanSides: (width: Double, height: Double) {
        let lengths = sides.map { $0.from.distance(to: $0.to) }
        return ((lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2)
    }

    /// `true` if all corners turn clockwise, as a camera sees the front of a rectangle.
    var isConvex: Bool {
        (0..<4).allSatisfy { index in
            let (corner, next, after) = (corners[index], corners[(index + 1) % 4], corners[(index + 2) % 4])
            return (next - corner).cross(after - next) > 0
        }
    }

    /// Returns `true` if its bounding box overlaps a picture of this size.
    func overlaps(width: Int, height: Int) -> Bool {
        let (across, down) = (corners.map(\.x), corners.map(\.y))
        guard let left = across.min(), let right = across.max(), let top = down.min(), let bottom = down.max() else {
            return false
        }
        return left < Double(width) && right > 0 && top < Double(height) && bottom > 0
    }

    func mapped(_ map: Homography) -> Quadrilateral { Quadrilateral(corners.map { map($0) }) }
}
