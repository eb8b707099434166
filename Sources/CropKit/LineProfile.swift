// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The edges near a line: changes of brightness across it, at places along it.
///
/// A profile keeps all edges, not only the strongest: on a rough background, a card's edge often has a stronger one
/// beside it.
struct LineProfile: Sendable {
    /// An edge at one place.
    struct Edge: Sendable {
        /// The place along the line: 0 is its start, 1 its end.
        let share: Double
        /// The distance from the line, in pixels; positive is outside.
        let offset: Double
        /// The change of brightness, from the inside to the outside.
        let step: Double
        /// The brightness inside of the edge.
        let inner: Double
    }

    /// The places along a side of a card, without its round corners.
    static let side = shares(64, from: 0.13, to: 0.87)

    /// The number of samples along the line that are averaged for a level.
    static let width = 7
    /// The smallest change of brightness that counts as an edge, in levels.
    private static let leastStep = 6.0
    /// The largest distance of an edge that may belong to the line, in pixels.
    private static let ownReach = 2.0

    let line: EdgeLine
    /// The examined distance on both sides of the line, in pixels.
    let reach: Double
    /// The places along the line, as shares of its length.
    let shares: [Double]
    /// The edges at each place, from the inside to the outside.
    private(set) var places: [[Edge]]

    init(along line: EdgeLine, in plane: LumaPlane, reach: Double, at shares: [Double] = side) {
        (self.line, self.reach, self.shares) = (line, reach, shares)
        places = line.length > 1 ? shares.map { Self.edges(across: line, at: $0, in: plane, reach: reach) } : []
    }

    /// Returns `count` evenly spaced places, the first and the last at the given shares of a line.
    static func shares(_ count: Int, from start: Double, to end: Double) -> [Double] {
        (0..<count).map { start + (end - start) * Double($0) / Double(count - 1) }
    }

    /// The usual edge of the line itself: the medians of step and inner brightness.
    var usual: (step: Double, inner: Double) {
        let own = places.compactMap { edges in
            edges.filter { $0.offset.magnitude <= Self.ownReach }.min { $0.offset.magnitude < $1.offset.magnitude }
        }
        guard !own.isEmpty else { return (0, 0) }
        return (own.map(\.step).sorted()[own.count / 2], own.map(\.inner).sorted()[own.count / 2])
    }

    /// The median change of brightness of all edges, in levels, without its sign.
    var usualClarity: Double {
        let steps = places.joined().map(\.step.magnitude).sorted()
        return steps.isEmpty ? Self.leastStep : steps[steps.count / 2]
    }

    /// Returns the profile with the edges that pass a test.
    func filtered(_ isWanted: (Edge) -> Bool) -> LineProfile {
        var profile = self
        profile.places = places.map { $0.filter(isWanted) }
        return profile
    }

    /// The share of places with an edge on the line, beyond chance: 1 if all have one, 0 if the line has no more than
    /// its surroundings.
    var surplus: Double {
        guard !places.isEmpty else { return 0 }
        let hits = Double(places.count { $0.contains { $0.offset.magnitude <= tolerance } }) / Double(places.count)
        let chance = places.reduce(0) { $0 + covered($1) } / Double(places.count)
        return chance < 1 ? max(0, (hits - chance) / (1 - chance)) : 0
    }

    /// The largest distance, in pixels, at which an edge counts as on the line: cards are not quite flat, and lenses
    /// distort.
    private var tolerance: Double { 1.25 + line.length / 1000 }

    /// Returns the share of the scanned width at which a line would count as having an edge.
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
            // The vertex of the parabola through the three values.
            let bend = before - 2 * most + after
            let shift = bend < 0 ? (before - after) / (2 * bend) : 0
            return Edge(share: share, offset: (Double(half) + shift) / 2, step: scan.step(half), inner: inner)
        }
    }

    /// The brightness beside a place of a line, in steps of half a pixel.
    private struct Scan {
        /// The distance on both sides between which a step is measured, in half pixels.
        private static let span = 2
        /// The depth inside of an edge at which its inner brightness is measured, in half pixels.
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

        /// Returns 0 off the picture.
        func step(_ half: Int) -> Double {
            guard let outer = level(half + Self.span), let inner = level(half - Self.span) else { return 0 }
            return outer - inner
        }

        func clarity(_ half: Int) -> Double { step(half).magnitude }
    }
}
