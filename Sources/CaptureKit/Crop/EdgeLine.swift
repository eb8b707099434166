// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A straight line in a picture, through two places.
struct EdgeLine: Sendable, Hashable {
    let from: PixelPoint
    let to: PixelPoint

    /// A place along it: 0 is at the first, 1 at the second.
    func place(_ share: Double) -> PixelPoint { from.toward(to, share) }

    var length: Double { from.distance(to: to) }

    /// One pixel along it.
    var direction: PixelPoint { (to - from) * (1 / length) }

    /// One pixel to its left: out of a shape that it goes around clockwise.
    var normal: PixelPoint { PixelPoint(direction.y, -direction.x) }

    /// Where it meets another; `nil` where they are parallel.
    func crossing(_ other: EdgeLine) -> PixelPoint? {
        let (own, theirs) = (to - from, other.to - other.from)
        let area = own.cross(theirs)
        guard area.magnitude > 1e-9 else { return nil }
        return from + own * ((other.from - from).cross(theirs) / area)
    }

    /// How much brightness changes across it at a place beside it, from `reach` pixels inside to as many outside; means of
    /// so many places along it. `nil` where that is not all on the picture.
    func step(in plane: LumaPlane, at place: PixelPoint, _ offset: Double, reach: Double, width: Int) -> Double? {
        guard let outer = level(in: plane, at: place, offset + reach, width: width),
            let inner = level(in: plane, at: place, offset - reach, width: width)
        else { return nil }
        return outer - inner
    }

    /// How bright it is beside a place of it, by so many pixels; the mean of so many places along it. `nil` where that is
    /// not all on the picture.
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
