// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Finds the place in a picture where a block of the picture before it has gone.
///
/// It holds bare pointers: valid only where the closure that lent the bytes has not returned.
struct BlockMatcher {
    /// Pixels of a block's side.
    static let side = 16
    /// How far a block is looked for, in pixels to each side.
    static let reach = 12

    /// The least correlation of what is the same thing.
    static let alikeness: Float = 0.7

    /// Where a block went, in pixels, with parts of them.
    struct Match {
        var x: Float, y: Float

        var length: Float { (x * x + y * y).squareRoot() }

        static func - (one: Match, other: Match) -> Match { Match(x: one.x - other.x, y: one.y - other.y) }
    }

    /// A whole displacement and the sum of absolute differences (SAD) there.
    private struct Place {
        var x: Int, y: Int
        var cost: Int32
    }

    let before: UnsafePointer<UInt8>
    let after: UnsafePointer<UInt8>
    let width: Int
    let height: Int

    /// How much there is to see in a block, in the picture that has less.
    func texture(_ x: Int, _ y: Int) -> Float { min(texture(before, x, y), texture(after, x, y)) }

    /// The nearest place downhill from where the block was: enough where little moves. `nil` where what is there does not
    /// look like the block: it left the window, or something came before it.
    func descend(_ x: Int, _ y: Int) -> Match? {
        settle(Place(x: 0, y: 0, cost: cost(x, y, 0, 0)), x, y)
    }

    /// The best place of the whole window: every other one is tried, and from the best it goes downhill.
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

    /// How much what is there looks like the block, where the block was and where a motion has taken it; `nil` where that
    /// is beyond the border.
    func compare(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> (here: Float, there: Float)? {
        guard isInside(x + dx, y + dy) else { return nil }
        return (likeness(x, y, 0, 0), likeness(x, y, dx, dy))
    }

    private func settle(_ start: Place, _ x: Int, _ y: Int) -> Match? {
        var place = start
        while true {
            let left = neighbour(of: place, -1, 0, x, y)
            let right = neighbour(of: place, 1, 0, x, y)
            let upper = neighbour(of: place, 0, -1, x, y)
            let lower = neighbour(of: place, 0, 1, x, y)
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

    private func neighbour(of place: Place, _ dx: Int, _ dy: Int, _ x: Int, _ y: Int) -> Place {
        let (nextX, nextY) = (place.x + dx, place.y + dy)
        guard isInside(x + nextX, y + nextY) else { return Place(x: nextX, y: nextY, cost: .max) }
        return Place(x: nextX, y: nextY, cost: cost(x, y, nextX, nextY))
    }

    private static func least(_ one: Place, _ other: Place) -> Place { other.cost < one.cost ? other : one }

    /// Where two lines of the same slope through three costs a pixel apart meet, in parts of a pixel from the middle one:
    /// absolute differences grow as lines do, not as a parabola.
    private static func vertex(_ left: Int32, _ middle: Int32, _ right: Int32) -> Float {
        guard left != .max, right != .max else { return 0 }
        let slope = Float(max(left, right)) - Float(middle)
        return slope > 0 ? (Float(left) - Float(right)) / (2 * slope) : 0
    }

    /// How much the two look alike, up to 1, whatever the contrast: light that changes is no reason to look elsewhere
    /// (normalised cross-correlation).
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

    /// The least mean square of the gradient over all directions (the smaller eigenvalue of the structure tensor, Shi and
    /// Tomasi's measure of a good feature): an edge alone can slide along itself unseen.
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

    /// The sum of absolute differences; a loop that compilers turn into the one instruction for it. Of every other row
    /// alone where `rows` is 2.
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
