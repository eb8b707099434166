// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Fits lines to edges that are nearly under them, to parts of a pixel.
enum EdgeFit {
    /// Where the edge is, at one place along a line.
    private struct Finding {
        /// Along the line.
        let share: Double
        /// Beside it, in pixels.
        let offset: Double
        /// By how much brightness changes.
        let step: Double
    }

    private static let scans = 64
    private static let ends = (from: 0.13, to: 0.87)
    /// How far behind a corner an edge is looked for, in lengths of its side; a round corner is before that.
    private static let beyond = (from: 0.015, to: 0.11)
    private static let beyondScans = 16
    /// Places along a line whose mean is a step.
    private static let stepWidth = 7
    /// In pixels, so far off that noise lies anywhere.
    private static let farReach = 8.0
    /// Levels of brightness: less is no edge.
    private static let leastStep = 5.0

    /// The same four sides, each on its edge.
    ///
    /// - Parameter reach: In pixels, how far off an edge can be.
    static func refine(_ corners: Quadrilateral, in plane: LumaPlane, reach: Double) -> Quadrilateral? {
        let lines = corners.sides.map { side in
            let line = EdgeLine(from: side.from, to: side.to)
            return fit(findings(along: line, in: plane, reach: reach), to: line)
        }
        return Quadrilateral(lines: lines)
    }

    /// The share of the worst side along which the edge is where the line is.
    ///
    /// It is looked for in a wider band than that, so that noise lies anywhere.
    static func confidence(of corners: Quadrilateral, in plane: LumaPlane) -> Double {
        let shares = corners.sides.map { side in
            let line = EdgeLine(from: side.from, to: side.to)
            let near = findings(along: line, in: plane, reach: farReach).count { isNear($0, line) }
            return Double(near) / Double(scans)
        }
        return shares.min() ?? 0
    }

    /// The largest share of what follows a side, behind either of its ends, along which the same edge goes on.
    ///
    /// A card's edges end at its corners. What goes on is the edge of a table or a board, or the card's own edge beside a
    /// stripe that was taken for its end.
    static func overshoot(of corners: Quadrilateral, in plane: LumaPlane) -> Double {
        let shares = corners.sides.flatMap { side in
            let line = EdgeLine(from: side.from, to: side.to)
            let usual = usualStep(along: line, in: plane)
            return [false, true].map { isEnd in
                let count = (0..<beyondScans).count { scan in
                    let beyond = beyond.from + (beyond.to - beyond.from) * Double(scan) / Double(beyondScans - 1)
                    return isEdge(line, isEnd ? 1 + beyond : -beyond, plane, like: usual)
                }
                return Double(count) / Double(beyondScans)
            }
        }
        return shares.max() ?? 0
    }

    /// The median of how brightness changes on the line, with its sign.
    private static func usualStep(along line: EdgeLine, in plane: LumaPlane) -> Double {
        let steps = (0..<scans).compactMap {
            line.step(in: plane, at: line.place(share($0)), 0, reach: 1, width: stepWidth)
        }
        return steps.sorted()[safe: steps.count / 2] ?? 0
    }

    /// True where there is an edge on the line, of the same sign as another and nearly as clear.
    private static func isEdge(_ line: EdgeLine, _ share: Double, _ plane: LumaPlane, like usual: Double) -> Bool {
        guard let finding = finding(line, share, plane, farReach), isNear(finding, line),
            finding.step > 0.4 * usual.magnitude,
            let step = line.step(
                in: plane, at: line.place(share), finding.offset, reach: 1, width: stepWidth)
        else { return false }
        return step * usual > 0
    }

    private static func isNear(_ finding: Finding, _ line: EdgeLine) -> Bool {
        finding.offset.magnitude <= 1.25 + line.length / 1000 && finding.step >= leastStep
    }

    /// Where a scan is along a side.
    private static func share(_ scan: Int) -> Double {
        ends.from + (ends.to - ends.from) * Double(scan) / Double(scans - 1)
    }

    private static func findings(along line: EdgeLine, in plane: LumaPlane, reach: Double) -> [Finding] {
        guard line.length > 1 else { return [] }
        return (0..<scans).compactMap { scan in
            finding(line, share(scan), plane, reach)
        }
    }

    private static func finding(_ line: EdgeLine, _ share: Double, _ plane: LumaPlane, _ reach: Double) -> Finding? {
        let place = line.place(share)
        let count = Int(reach * 2)
        let steps = (-count...count).map {
            line.step(in: plane, at: place, Double($0) / 2, reach: 1, width: stepWidth)?.magnitude ?? 0
        }
        guard let most = steps.max(), most > 0, let peak = steps.firstIndex(of: most) else { return nil }
        let (before, after) = (peak > 0 ? steps[peak - 1] : 0, peak + 1 < steps.count ? steps[peak + 1] : 0)
        // The top of the parabola through the three.
        let bend = before - 2 * most + after
        let shift = bend < 0 ? (before - after) / (2 * bend) : 0
        return Finding(share: share, offset: (Double(peak - count) + shift) / 2, step: most)
    }

    /// Tukey's biweight, from a start that outliers do not carry away.
    private static func fit(_ findings: [Finding], to line: EdgeLine) -> EdgeLine {
        let base = findings.map { $0.step / ($0.step + leastStep) }
        var (start, end) = (0.0, 0.0)
        for round in 0..<12 {
            let residuals = findings.map { $0.offset - start - (end - start) * $0.share }
            let spread = max(0.4, residuals.map(\.magnitude).sorted()[safe: findings.count / 2] ?? 0)
            let weights = zip(base, residuals).map { base, residual in
                base * (round < 4 ? 1 / (residual.magnitude + 0.3) : biweight(residual / (5 * spread)))
            }
            guard let next = leastSquares(findings, weights) else { break }
            (start, end) = next
        }
        return EdgeLine(from: line.from + line.normal * start, to: line.to + line.normal * end)
    }

    private static func biweight(_ residual: Double) -> Double {
        let rest = max(0, 1 - residual * residual)
        return rest * rest
    }

    /// Offsets at both ends of the line; `nil` where there is too little to go by.
    private static func leastSquares(_ findings: [Finding], _ weights: [Double]) -> (start: Double, end: Double)? {
        var (sum, share, square, offset, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (finding, weight) in zip(findings, weights) {
            sum += weight
            share += weight * finding.share
            square += weight * finding.share * finding.share
            offset += weight * finding.offset
            product += weight * finding.share * finding.offset
        }
        let determinant = sum * square - share * share
        guard determinant > 1e-9 else { return nil }
        let slope = (sum * product - share * offset) / determinant
        let start = (offset - slope * share) / sum
        return (start, start + slope)
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
