// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import Glibc

/// Finds the four lines that are most likely a card's sides, within about a pixel.
struct CardSearch {
    /// A line near a side, and the mean clarity of the edges along it, 0...1.
    struct Candidate {
        let line: EdgeLine
        let support: Double
    }

    private let candidates: [[Candidate]]
    private let area: Double
    private let plane: LumaPlane

    init(in plane: LumaPlane, near expected: Quadrilateral) {
        let sides = expected.meanSides
        area = sides.width * sides.height
        self.plane = plane
        let band = Int((min(sides.width, sides.height) * 0.28).rounded())
        candidates = expected.lines.map { SideSearch($0, in: plane, band: band).candidates }
    }

    /// Returns the corners of the best four lines.
    ///
    /// The search refines the sixteen clearest combinations, and chooses the one with the best score: certain sides,
    /// the proportions of the card, and sides that end at its corners.
    func best(aspect: Double) -> Quadrilateral? {
        var best: (score: Double, corners: Quadrilateral)?
        for corners in clearest(16, aspect: aspect) {
            guard let corners = EdgeFit.refine(corners, in: plane, reach: 4) else { continue }
            let score = score(corners, aspect, above: best?.score ?? -.infinity)
            if let score { best = (score, corners) }
        }
        return best?.corners
    }

    /// Returns the certainty of the sides, plus a bonus for size, less penalties; `nil` if it is not above `least`.
    private func score(_ corners: Quadrilateral, _ aspect: Double, above least: Double) -> Double? {
        let sides = CardSides(corners, in: plane)
        let confidences = sides.confidences
        var score = ((confidences.min() ?? 0) + confidences.reduce(0, +) / 4) / 2 + 0.3 * growth(corners)
        score -= 10 * max(0, sides.misfit(aspect: aspect) - 0.015)
        if score > least { score -= 0.5 * max(0, sides.overshoot - 0.4) }
        return score > least ? score : nil
    }

    /// Returns the combinations of four lines with the clearest edges, the best first.
    private func clearest(_ count: Int, aspect: Double) -> [Quadrilateral] {
        var found: [(score: Double, corners: Quadrilateral)] = []
        for top in candidates[0] {
            for right in candidates[1] {
                for bottom in candidates[2] {
                    for left in candidates[3] {
                        let four = [top, right, bottom, left]
                        guard let corners = Quadrilateral(lines: four.map(\.line)) else { continue }
                        found.append((clarity(four, corners, aspect), corners))
                    }
                }
            }
        }
        return found.sorted { $0.score > $1.score }.prefix(count).map(\.corners)
    }

    /// Rates the clarity of four edges and the proportions, which a tilt of 15 degrees changes by 4 %. The proportions
    /// count because a stripe of the card has clear edges, too.
    private func clarity(_ four: [Candidate], _ corners: Quadrilateral, _ aspect: Double) -> Double {
        four.reduce(0) { $0 + $1.support } - 10 * max(0, Self.distortion(corners, aspect: aspect) - 0.04)
            + 0.5 * growth(corners)
    }

    /// Favors the larger of two nested frames: the outer one is the card's.
    private func growth(_ corners: Quadrilateral) -> Double {
        let sides = corners.meanSides
        return min(0.3, log(max(1e-6, sides.width * sides.height / area)))
    }

    /// Returns the deviation from the proportions: the magnitude of the logarithm of their quotient.
    private static func distortion(_ corners: Quadrilateral, aspect: Double) -> Double {
        let sides = corners.meanSides
        return log(sides.width / sides.height / aspect).magnitude
    }
}

/// All straight lines near one side.
private struct SideSearch {
    private static let scans = 32
    /// The scanned part of a side: the corners of cards are round.
    private static let ends = (from: 0.12, to: 0.88)
    /// The largest tilt of a side, as a tangent.
    private static let mostTilt = 0.33

    private let side: EdgeLine
    private let band: Int
    /// The clarity of the edge by scan and offset, 0...1.
    private var clarity: [[Double]] = []

    init(_ side: EdgeLine, in plane: LumaPlane, band: Int) {
        self.side = side
        self.band = band
        let steps = (0..<Self.scans).map { scan in
            let place = side.place(Self.share(scan))
            return (-band...band).map {
                side.step(in: plane, at: place, Double($0), reach: 1.5, width: 3)?.magnitude ?? 0
            }
        }
        let all = steps.joined().sorted()
        let usual = all.isEmpty ? 0 : all[all.count / 2]
        clarity = steps.map { Self.widened($0.map { $0 / ($0 + 2 * usual + 3) }) }
    }

    private static func share(_ scan: Int) -> Double {
        ends.from + (ends.to - ends.from) * Double(scan) / Double(scans - 1)
    }

    /// Widens each edge by a pixel to both sides, so that a line that is off by a pixel still meets it.
    private static func widened(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            max(values[index], values[max(0, index - 1)], values[min(values.count - 1, index + 1)])
        }
    }

    /// The ten best lines, without near duplicates.
    var candidates: [CardSearch.Candidate] {
        let tilt = Int(side.length * (Self.ends.to - Self.ends.from) * Self.mostTilt)
        var lines: [(start: Int, end: Int, support: Double)] = []
        for start in stride(from: 0, through: 2 * band, by: 2) {
            for end in stride(from: max(0, start - tilt) / 2 * 2, through: min(2 * band, start + tilt), by: 2) {
                lines.append((start, end, support(start, end)))
            }
        }
        lines.sort { $0.support > $1.support }
        var best: [(start: Int, end: Int, support: Double)] = []
        for line in lines where best.count < 10 {
            let isNew = best.allSatisfy { max(abs($0.start - line.start), abs($0.end - line.end)) > 6 }
            if isNew { best.append(line) }
        }
        return best.map { CardSearch.Candidate(line: line($0.start, $0.end), support: $0.support) }
    }

    private func support(_ start: Int, _ end: Int) -> Double {
        var sum = 0.0
        for scan in 0..<Self.scans {
            let offset = start + ((end - start) * scan * 2 + Self.scans - 1) / (2 * (Self.scans - 1))
            sum += clarity[scan][min(max(0, offset), 2 * band)]
        }
        return sum / Double(Self.scans)
    }

    private func line(_ start: Int, _ end: Int) -> EdgeLine {
        EdgeLine(
            from: side.place(Self.ends.from) + side.normal * Double(start - band),
            to: side.place(Self.ends.to) + side.normal * Double(end - band))
    }
}
