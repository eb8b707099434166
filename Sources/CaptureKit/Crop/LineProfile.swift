// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where brightness changes across a line: all edges near it, at places along it.
///
/// All, not the strongest alone: on a rough ground, a card's edge often has a stronger one beside it.
struct LineProfile: Sendable {
    /// An edge at one place.
    struct Edge: Sendable {
        /// Along the line: 0 is at its start, 1 at its end.
        let share: Double
        /// Beside it, in pixels; outside is more than 0.
        let offset: Double
        /// By how much brightness changes, from the inside to the outside.
        let step: Double
        /// How bright it is inside of it.
        let inner: Double
    }

    /// Along a side of a card, whose corners are round.
    static let side = shares(64, from: 0.13, to: 0.87)

    /// Places along a line whose mean is a step.
    static let width = 7
    /// Levels of brightness: less is no edge.
    private static let leastStep = 6.0
    /// In pixels: an edge so far off is of something else.
    private static let ownReach = 2.0

    let line: EdgeLine
    /// In pixels, on both sides of the line.
    let reach: Double
    /// Where along the line the places are.
    let shares: [Double]
    /// The edges of each place, from the inside to the outside.
    private(set) var places: [[Edge]]

    init(along line: EdgeLine, in plane: LumaPlane, reach: Double, at shares: [Double] = side) {
        (self.line, self.reach, self.shares) = (line, reach, shares)
        places = line.length > 1 ? shares.map { Self.edges(across: line, at: $0, in: plane, reach: reach) } : []
    }

    /// As many places, the first and the last at these shares of a line.
    static func shares(_ count: Int, from start: Double, to end: Double) -> [Double] {
        (0..<count).map { start + (end - start) * Double($0) / Double(count - 1) }
    }

    /// How an edge of the line itself looks: the medians.
    var usual: (step: Double, inner: Double) {
        let own = places.compactMap { edges in
            edges.filter { $0.offset.magnitude <= Self.ownReach }.min { $0.offset.magnitude < $1.offset.magnitude }
        }
        guard !own.isEmpty else { return (0, 0) }
        return (own.map(\.step).sorted()[own.count / 2], own.map(\.inner).sorted()[own.count / 2])
    }

    /// Of all edges there are, the median of how clear they are.
    var usualClarity: Double {
        let steps = places.joined().map(\.step.magnitude).sorted()
        return steps.isEmpty ? Self.leastStep : steps[steps.count / 2]
    }

    /// The same with those edges only.
    func filtered(_ isWanted: (Edge) -> Bool) -> LineProfile {
        var profile = self
        profile.places = places.map { $0.filter(isWanted) }
        return profile
    }

    /// The share of places with an edge where the line is, beyond chance: 1 where all have one, 0 where they have it as
    /// often as anywhere near.
    var surplus: Double {
        guard !places.isEmpty else { return 0 }
        let hits = Double(places.count { $0.contains { $0.offset.magnitude <= tolerance } }) / Double(places.count)
        let chance = places.reduce(0) { $0 + covered($1) } / Double(places.count)
        return chance < 1 ? max(0, (hits - chance) / (1 - chance)) : 0
    }

    /// In pixels: how far off an edge is that may be called the line's; cards are not quite flat, nor lenses quite true.
    private var tolerance: Double { 1.25 + line.length / 1000 }

    /// The share of a place's width where a line would be said to have an edge.
    private func covered(_ edges: [Edge]) -> Double {
        var (sum, end) = (0.0, -reach)
        for edge in edges {
            let (from, to) = (max(end, edge.offset - tolerance), min(reach, edge.offset + tolerance))
            if to > from { (sum, end) = (sum + to - from, to) }
        }
        return sum / (2 * reach)
    }

    private static func edges(across line: EdgeLine, at share: Double, in plane: LumaPlane, reach: Double) -> [Edge] {
        let scan = Scan(of: line, at: share, in: plane, halves: Int(reach * 2))
        return (-scan.halves...scan.halves).compactMap { half in
            let (before, most, after) = (scan.clarity(half - 1), scan.clarity(half), scan.clarity(half + 1))
            guard most >= leastStep, most > before, most >= after, let inner = scan.inner(half) else { return nil }
            // The top of the parabola through the three.
            let bend = before - 2 * most + after
            let shift = bend < 0 ? (before - after) / (2 * bend) : 0
            return Edge(share: share, offset: (Double(half) + shift) / 2, step: scan.step(half), inner: inner)
        }
    }

    /// How bright it is beside a place of a line, by halves of a pixel.
    private struct Scan {
        /// A step is between places that are so many apart, on both sides.
        private static let span = 2
        /// So deep under an edge is what it is the edge of.
        private static let depth = 5

        let halves: Int
        private let levels: [Double?]

        init(of line: EdgeLine, at share: Double, in plane: LumaPlane, halves: Int) {
            self.halves = halves
            let place = line.place(share)
            levels = (-halves - 1 - Self.depth...halves + 1 + Self.span).map {
                line.level(in: plane, at: place, Double($0) / 2, width: width)
            }
        }

        private func level(_ half: Int) -> Double? { levels[half + halves + 1 + Self.depth] }

        func inner(_ half: Int) -> Double? { level(half - Self.depth) }

        /// 0 off the picture.
        func step(_ half: Int) -> Double {
            guard let outer = level(half + Self.span), let inner = level(half - Self.span) else { return 0 }
            return outer - inner
        }

        func clarity(_ half: Int) -> Double { step(half).magnitude }
    }
}
