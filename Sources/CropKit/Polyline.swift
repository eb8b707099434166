// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Simplifies lines of many corners (Ramer, Douglas and Peucker).
package enum Polyline {
    /// Returns a closed line with fewer corners. Each removed corner lies within `tolerance` of the straight line
    /// between the remaining corners on both sides.
    package static func simplified(closed corners: [PixelPoint], within tolerance: Double) -> [PixelPoint] {
        guard corners.count > 3 else { return corners }
        // Two corners always stay: the first, and the one farthest from it.
        let middle =
            corners.indices.max { corners[$0].distance(to: corners[0]) < corners[$1].distance(to: corners[0]) } ?? 0
        let open = corners + [corners[0]]
        var stays = [Bool](repeating: false, count: open.count)
        for index in [0, middle, open.count - 1] { stays[index] = true }
        var spans = [(0, middle), (middle, open.count - 1)]
        while let (start, end) = spans.popLast() {
            guard let index = farthest(in: open, start, end, tolerance) else { continue }
            stays[index] = true
            spans += [(start, index), (index, end)]
        }
        return corners.indices.filter { stays[$0] }.map { corners[$0] }
    }

    /// Returns the corner that is farthest from a chord; `nil` if no corner is too far.
    private static func farthest(in corners: [PixelPoint], _ start: Int, _ end: Int, _ tolerance: Double) -> Int? {
        guard end - start > 1 else { return nil }
        func distance(_ index: Int) -> Double {
            Self.distance(of: corners[index], fromLineBetween: corners[start], corners[end])
        }
        let farthest = (start + 1..<end).max { distance($0) < distance($1) }
        return farthest.flatMap { distance($0) > tolerance ? $0 : nil }
    }

    /// Returns the distance to the nearest place of the segment, ends included. A corner beyond an end may be close to
    /// the infinite line, but belongs to a spur.
    private static func distance(
        of corner: PixelPoint, fromLineBetween start: PixelPoint, _ end: PixelPoint
    ) -> Double {
        let (chord, way) = (end - start, corner - start)
        let square = chord.x * chord.x + chord.y * chord.y
        guard square > 0 else { return corner.distance(to: start) }
        let share = min(max(0, (chord.x * way.x + chord.y * way.y) / square), 1)
        return corner.distance(to: start.toward(end, share))
    }
}
