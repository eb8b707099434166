// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Finds the place to which a block of the previous picture has moved in the current one.
///
/// A matcher has pointers to the bytes of both pictures: it is valid only until the closure that lends them returns.
package struct BlockMatcher {
    /// The side of a block, in pixels.
    static let side = 16
    /// The largest displacement that a search covers, in pixels in each direction.
    package static let reach = 12

    /// The least correlation at which two blocks count as the same.
    static let alikeness: Float = 0.7

    /// A displacement in pixels, with fractions.
    struct Match {
        var x: Float, y: Float

        var length: Float { (x * x + y * y).squareRoot() }

        static func - (one: Match, other: Match) -> Match { Match(x: one.x - other.x, y: one.y - other.y) }
    }

    /// A displacement in whole pixels, and its sum of absolute differences (SAD).
    private struct Place {
        var x: Int, y: Int
        var cost: Int32
    }

    let before: UnsafePointer<UInt8>
    let after: UnsafePointer<UInt8>
    let width: Int
    let height: Int

    /// Returns the texture of a block: the smaller one of its textures in the two pictures.
    func texture(_ x: Int, _ y: Int) -> Float { min(texture(before, x, y), texture(after, x, y)) }

    /// Descends from zero displacement to the nearest minimum of the cost, which is enough for small motions. Returns
    /// `nil` if the block does not correlate there: it left the search window, or is covered.
    func descend(_ x: Int, _ y: Int) -> Match? {
        settle(Place(x: 0, y: 0, cost: cost(x, y, 0, 0)), x, y)
    }

    /// Searches the whole window, every second displacement in both directions, and descends from the best one.
    func search(_ x: Int, _ y: Int) -> Match? {
        var best = Place(x: 0, y: 0, cost: cost(x, y, 0, 0, rows: 2))
        for dy in stride(from: -Self.reach, through: Self.reach, by: 2) {
            for dx in stride(from: -Self.reach, through: Self.reach, by: 2) where isInside(x + dx, y + dy) {
                let cost = cost(x, y, dx, dy, rows: 2)
                if cost < best.cost { best = Place(x: dx, y: dy, cost: cost) }
            }
        }
        best.cost = cost(x, y, best.x, best.y)
        return settle(best, x, y)
    }

    /// Returns the correlation of the block with the current picture, at zero displacement and at the given one; `nil`
    /// if the displaced block is beyond the border.
    func compare(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> (here: Float, there: Float)? {
        guard isInside(x + dx, y + dy) else { return nil }
        return (likeness(x, y, 0, 0), likeness(x, y, dx, dy))
    }

    private func settle(_ start: Place, _ x: Int, _ y: Int) -> Match? {
        var place = start
        while true {
            let left = neighbor(of: place, -1, 0, x, y)
            let right = neighbor(of: place, 1, 0, x, y)
            let upper = neighbor(of: place, 0, -1, x, y)
            let lower = neighbor(of: place, 0, 1, x, y)
            let next = Self.least(Self.least(left, right), Self.least(upper, lower))
            guard next.cost < place.cost, abs(next.x) <= Self.reach, abs(next.y) <= Self.reach else {
                guard likeness(x, y, place.x, place.y) >= Self.alikeness else { return nil }
                return Match(
                    x: Float(place.x) + Self.vertex(left.cost, place.cost, right.cost),
                    y: Float(place.y) + Self.vertex(upper.cost, place.cost, lower.cost))
            }
            place = next
        }
    }

    private func neighbor(of place: Place, _ dx: Int, _ dy: Int, _ x: Int, _ y: Int) -> Place {
        let (nextX, nextY) = (place.x + dx, place.y + dy)
        guard isInside(x + nextX, y + nextY) else { return Place(x: nextX, y: nextY, cost: .max) }
        return Place(x: nextX, y: nextY, cost: cost(x, y, nextX, nextY))
    }

    private static func least(_ one: Place, _ other: Place) -> Place { other.cost < one.cost ? other : one }

    /// Fits two lines of opposite, equal slope through three costs a pixel apart, and returns their intersection, in
    /// pixels from the middle one. Absolute differences grow linearly, not as a parabola.
    private static func vertex(_ left: Int32, _ middle: Int32, _ right: Int32) -> Float {
        guard left != .max, right != .max else { return 0 }
        let slope = Float(max(left, right)) - Float(middle)
        return slope > 0 ? (Float(left) - Float(right)) / (2 * slope) : 0
    }

    /// Returns the normalized cross-correlation of the two blocks, up to 1. It does not depend on contrast: a change of
    /// light does not look like motion.
    private func likeness(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> Float {
        var one = before + (y &* width &+ x)
        var other = after + ((y &+ dy) &* width &+ x &+ dx)
        var (ones, others, both) = (Int32(0), Int32(0), Int32(0))
        var row = 0
        while row < Self.side {
            var column = 0
            while column < Self.side {
                let (a, b) = (Int32(one[column]) &- 128, Int32(other[column]) &- 128)
                ones &+= a &* a
                others &+= b &* b
                both &+= a &* b
                column &+= 1
            }
            one += width
            other += width
            row &+= 1
        }
        let norm = (Float(ones) * Float(others)).squareRoot()
        return norm > 0 ? Float(both) / norm : 0
    }

    /// Returns the least mean square of the gradient over all directions (the smaller eigenvalue of the structure
    /// tensor, Shi and Tomasi's measure of a good feature). An edge alone scores 0: it can slide along itself unseen.
    private func texture(_ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int) -> Float {
        var (across, down, both) = (Int32(0), Int32(0), Int32(0))
        var row = 0
        while row < Self.side {
            var pixel = picture + ((y &+ row) &* width &+ x)
            var column = 0
            while column < Self.side {
                let dx = Int32(pixel[1]) &- Int32(pixel[-1])
                let dy = Int32(pixel[width]) &- Int32(pixel[-width])
                across &+= dx &* dx
                down &+= dy &* dy
                both &+= dx &* dy
                pixel += 2
                column &+= 2
            }
            row &+= 2
        }
        let (a, b, c) = (Float(across), Float(down), Float(both))
        let spread = (((a - b) / 2) * ((a - b) / 2) + c * c).squareRoot()
        return ((a + b) / 2 - spread) / Float(Self.side * Self.side / 4)
    }

    private func isInside(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x + Self.side <= width && y + Self.side <= height
    }

    /// Returns the sum of absolute differences. Compilers turn the loop into the single instruction for it. If `rows`
    /// is 2, only every second row counts.
    private func cost(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int, rows: Int = 1) -> Int32 {
        var one = before + (y &* width &+ x)
        var other = after + ((y &+ dy) &* width &+ x &+ dx)
        var sum = Int32(0)
        var row = 0
        while row < Self.side {
            var column = 0
            while column < 16 {
                sum &+= abs(Int32(one[column]) &- Int32(other[column]))
                column &+= 1
            }
            one += rows &* width
            other += rows &* width
            row &+= rows
        }
        return sum
    }
}
