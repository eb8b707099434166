// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// A straight line in a picture, through two points.
struct EdgeLine: Sendable, Hashable {
    let from: PixelPoint
    let to: PixelPoint

    /// Returns the point at a share of the line: 0 is the first end, 1 the second.
    func place(_ share: Double) -> PixelPoint { from.toward(to, share) }

    var length: Double { from.distance(to: to) }

    /// The unit vector along the line.
    var direction: PixelPoint { (to - from) * (1 / length) }

    /// The unit vector to the left of the line: outward for a shape that the line surrounds clockwise.
    var normal: PixelPoint { PixelPoint(direction.y, -direction.x) }

    /// Returns the intersection with another line; `nil` if they are parallel.
    func crossing(_ other: EdgeLine) -> PixelPoint? {
        let (own, theirs) = (to - from, other.to - other.from)
        let area = own.cross(theirs)
        guard area.magnitude > 1e-9 else { return nil }
        return from + own * ((other.from - from).cross(theirs) / area)
    }

    /// Returns the change of brightness across the line beside a place, from `reach` pixels inside to `reach` pixels
    /// outside. Both levels are means of `width` samples along the line. `nil` if a sample is off the picture.
    func step(in plane: LumaPlane, at place: PixelPoint, _ offset: Double, reach: Double, width: Int) -> Double? {
        guard let outer = level(in: plane, at: place, offset + reach, width: width),
            let inner = level(in: plane, at: place, offset - reach, width: width)
        else { return nil }
        return outer - inner
    }

    /// Returns the brightness beside a place, `offset` pixels outward: the mean of `width` samples along the line.
    /// `nil` if a sample is off the picture.
    func level(in plane: LumaPlane, at place: PixelPoint, _ offset: Double, width: Int) -> Double? {
        let (direction, middle) = (direction, place + normal * offset)
        var sum = 0.0
        for index in 0..<width {
            guard let value = plane.value(at: middle + direction * (Double(index) - Double(width - 1) / 2))
            else { return nil }
            sum += value
        }
        return sum / Double(width)
    }
}
