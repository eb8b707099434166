// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Fits lines to the edges near them, to fractions of a pixel.
struct EdgeFit {
    private typealias Edge = LineProfile.Edge

    private let profile: LineProfile
    private let usual: Double

    /// Returns the quadrilateral with each side moved to the edge near it; `nil` if the moved sides do not cross in
    /// their order.
    ///
    /// - Parameter reach: The largest distance of an edge from its line, in pixels.
    static func refine(_ corners: Quadrilateral, in plane: LumaPlane, reach: Double) -> Quadrilateral? {
        let lines = corners.lines.map { EdgeFit(LineProfile(along: $0, in: plane, reach: reach)).line }
        return Quadrilateral(lines: lines)
    }

    private init(_ profile: LineProfile) {
        self.profile = profile
        usual = profile.usualClarity
    }

    /// The nearby line with the most and the clearest edges, refined by a fit to those edges alone.
    private var line: EdgeLine {
        var best = start
        for _ in 0..<6 {
            guard let next = leastSquares(near: best) else { break }
            best = next
        }
        let line = profile.line
        return EdgeLine(from: line.from + line.normal * best.start, to: line.to + line.normal * best.end)
    }

    /// The distances of a line's two ends from those of the original line.
    private typealias Offsets = (start: Double, end: Double)

    private var start: Offsets {
        let responses = responses
        let reach = Int(profile.reach)
        var (most, best) = (-1.0, Offsets(0, 0))
        for start in -reach...reach {
            for end in -reach...reach {
                var support = 0.0
                for (share, response) in zip(profile.shares, responses) {
                    let offset = Double(start) + Double(end - start) * share
                    support += response[Int(((offset + profile.reach) * 2).rounded())]
                }
                if support > most { (most, best) = (support, (Double(start), Double(end))) }
            }
        }
        return best
    }

    /// For each place, in steps of half a pixel from the inside to the outside, the clarity of the edges within a
    /// pixel.
    private var responses: [[Double]] {
        profile.places.map { edges in
            (0...Int(profile.reach * 4)).map { half in
                let offset = Double(half) / 2 - profile.reach
                return edges.reduce(0) { most, edge in
                    let distance = edge.offset - offset
                    return max(most, (1 - distance * distance) * clarity(edge))
                }
            }
        }
    }

    /// Returns the clarity of an edge relative to all others nearby: 0...1.
    private func clarity(_ edge: Edge) -> Double { edge.step.magnitude / (edge.step.magnitude + usual) }

    private func distance(_ edge: Edge, _ offsets: Offsets) -> Double {
        (edge.offset - offsets.start - (offsets.end - offsets.start) * edge.share).magnitude
    }

    /// Returns Tukey's biweight: 0 for an edge that is at least `width` pixels off.
    private func weight(_ edge: Edge, _ offsets: Offsets, width: Double) -> Double {
        let part = distance(edge, offsets) / width
        let rest = max(0, 1 - part * part)
        return rest * rest
    }

    /// Returns the next step of the fit; `nil` if there are too few edges.
    private func leastSquares(near offsets: Offsets) -> Offsets? {
        var (sum, share, square, offset, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for edges in profile.places {
            guard let edge = edges.min(by: { distance($0, offsets) < distance($1, offsets) }) else { continue }
            let weight = weight(edge, offsets, width: 1.5) * clarity(edge)
            sum += weight
            share += weight * edge.share
            square += weight * edge.share * edge.share
            offset += weight * edge.offset
            product += weight * edge.share * edge.offset
        }
        let determinant = sum * square - share * share
        guard determinant > 1e-9 else { return nil }
        let slope = (sum * product - share * offset) / determinant
        let start = (offset - slope * share) / sum
        return (start, start + slope)
    }
}
