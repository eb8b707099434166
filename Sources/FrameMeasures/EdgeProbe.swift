// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place of an outline on the frames that gates see, and its outward direction.
package struct EdgeProbe: Sendable {
    /// The place, in pixels of the small picture.
    package let place: PixelPoint
    /// The outward direction, of length 1.
    package let normal: PixelPoint

    package init(place: PixelPoint, normal: PixelPoint) { (self.place, self.normal) = (place, normal) }

    /// The side of the outline, by the outward direction: 0 right, 1 left, 2 bottom, 3 top.
    package var side: Int { abs(normal.x) > abs(normal.y) ? (normal.x > 0 ? 0 : 1) : (normal.y > 0 ? 2 : 3) }

    /// Returns the luma at a distance outward; `nil` if that place is outside of the frame.
    func level(_ frame: LumaFrame, _ distance: Int) -> Int? {
        let x = Int((place.x + normal.x * Double(distance)).rounded(.down))
        let y = Int((place.y + normal.y * Double(distance)).rounded(.down))
        guard x >= 0, y >= 0, x < frame.width, y < frame.height else { return nil }
        return Int(frame.levels[y * frame.width + x])
    }
}
