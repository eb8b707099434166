// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Four corners in a picture, clockwise from the one that becomes the top left.
public struct Quadrilateral: Sendable, Hashable {
    /// Where the top left corner is.
    public var topLeft: PixelPoint
    /// Where the top right corner is.
    public var topRight: PixelPoint
    /// Where the bottom right corner is.
    public var bottomRight: PixelPoint
    /// Where the bottom left corner is.
    public var bottomLeft: PixelPoint

    /// Names four corners.
    public init(topLeft: PixelPoint, topRight: PixelPoint, bottomRight: PixelPoint, bottomLeft: PixelPoint) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    /// The corners in their order.
    public var corners: [PixelPoint] { [topLeft, topRight, bottomRight, bottomLeft] }
}

extension Quadrilateral {
    /// Four corners in their order.
    init(_ corners: [PixelPoint]) {
        self.init(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
    }

    /// Top, right, bottom and left, each from corner to corner, clockwise.
    var sides: [(from: PixelPoint, to: PixelPoint)] { (0..<4).map { (corners[$0], corners[($0 + 1) % 4]) } }

    /// The same as lines.
    var lines: [EdgeLine] { sides.map { EdgeLine(from: $0.from, to: $0.to) } }

    /// The means of opposite sides.
    var meanSides: (width: Double, height: Double) {
        let lengths = sides.map { $0.from.distance(to: $0.to) }
        return ((lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2)
    }

    /// True where all corners turn clockwise: what a camera sees of the front of a rectangle.
    var isConvex: Bool {
        (0..<4).allSatisfy { index in
            let (corner, next, after) = (corners[index], corners[(index + 1) % 4], corners[(index + 2) % 4])
            return (next - corner).cross(after - next) > 0
        }
    }

    /// True where some of it lies on a picture of this size, or at least its extent does.
    func overlaps(width: Int, height: Int) -> Bool {
        let (across, down) = (corners.map(\.x), corners.map(\.y))
        guard let left = across.min(), let right = across.max(), let top = down.min(), let bottom = down.max() else {
            return false
        }
        return left < Double(width) && right > 0 && top < Double(height) && bottom > 0
    }

    func mapped(_ map: Homography) -> Quadrilateral { Quadrilateral(corners.map { map($0) }) }
}
