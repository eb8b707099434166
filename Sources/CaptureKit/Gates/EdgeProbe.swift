// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place of an outline on the frames that gates see, and which way is out.
struct EdgeProbe: Sendable {
    /// In pixels of the small picture.
    let place: PixelPoint
    /// Of length 1, outwards.
    let normal: PixelPoint

    /// Which of the four sides it is of: by the way out.
    var side: Int { abs(normal.x) > abs(normal.y) ? (normal.x > 0 ? 0 : 1) : (normal.y > 0 ? 2 : 3) }

    /// The luma at a distance outwards; `nil` outside of the frame.
    func level(_ frame: LumaFrame, _ distance: Int) -> Int? {
        let x = Int((place.x + normal.x * Double(distance)).rounded(.down))
        let y = Int((place.y + normal.y * Double(distance)).rounded(.down))
        guard x >= 0, y >= 0, x < frame.width, y < frame.height else { return nil }
        return Int(frame.levels[y * frame.width + x])
    }
}
