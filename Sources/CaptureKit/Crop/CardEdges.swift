// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The edges of a card in a picture, found near where they are expected.
///
/// First all straight lines near each side are judged by how much brightness changes across them, on a small copy of the
/// picture (a Hough transform over the ends of the side). Of the best four sides, that have to be those of a card of
/// these proportions, seen at an angle, each is then fitted to parts of a pixel, on larger and larger copies. There, all
/// edges count that lie on the line, be they clear or not, lighter or darker, and what chance would put there does not:
/// a card on a rough ground has edges that are clearer than its own all around.
struct CardEdges: Sendable, Hashable {
    /// Where the corners would be if they were not round.
    let corners: Quadrilateral
    /// The share of the least sure side along which its edge is seen, beyond chance: 0...1.
    let confidence: Double

    /// Below that, a side may as well be print or a line on the ground.
    static let leastConfidence = 0.6
    /// How far corners may be off those of a card seen at an angle. Over real photographs, right ones were within 1.2 %;
    /// of print and ground that had been taken for a card, three quarters were above.
    private static let mostMisfit = 0.02
    /// Along how much of what follows a side an edge may be seen by chance, on a rough ground.
    private static let mostOvershoot = 0.4
    /// Along how much of a side the ground may be as bright as the card's margin.
    private static let mostMarginOutside = 0.6

    /// Finds a card.
    ///
    /// - Parameters:
    ///   - plane: The picture's brightness.
    ///   - expected: Where the card should be: it may be off by a quarter of its shorter side, and turned by 15 degrees.
    ///   - aspect: Width through height of the card.
    /// - Throws: ``CaptureError`` where it is not sure.
    static func find(
        in plane: LumaPlane, near expected: Quadrilateral, aspect: Double
    ) throws(CaptureError) -> CardEdges {
        let edges = search(in: plane, near: expected, aspect: aspect)
        guard let edges, edges.confidence >= leastConfidence else {
            throw CaptureError(
                .inputOutput, "the four edges of a card are not found near the outline",
                subject: StillCropper.stillSubject,
                advice: "put it on a plain ground of another brightness, without glare, and nearer to the outline")
        }
        return edges
    }

    /// The most likely edges, however likely they are.
    static func search(in plane: LumaPlane, near expected: Quadrilateral, aspect: Double) -> CardEdges? {
        guard isSensible(expected, in: plane), aspect.isNormal, aspect > 0 else { return nil }
        var planes = [plane]
        while isFine(planes[planes.count - 1], expected, level: planes.count - 1) {
            planes.append(planes[planes.count - 1].halved)
        }
        let top = planes.count - 1
        let small = expected.scaled(by: pow(0.5, Double(top)))
        guard min(small.meanSides.width, small.meanSides.height) >= 24,
            var corners = CardSearch(in: planes[top], near: small).best(aspect: aspect)
        else { return nil }
        for level in stride(from: top, through: 0, by: -1) {
            for reach in level == 0 ? [4.0, 3.0] : [4.0] {
                guard let refined = EdgeFit.refine(corners, in: planes[level], reach: reach) else { return nil }
                corners = refined
            }
            if level > 0 { corners = corners.scaled(by: 2) }
        }
        let sides = CardSides(corners, in: plane)
        guard sides.misfit(aspect: aspect) <= mostMisfit, sides.overshoot <= mostOvershoot,
            sides.marginOutside <= mostMarginOutside
        else { return nil }
        return CardEdges(corners: corners, confidence: sides.confidence)
    }

    /// The size of a card without perspective, with all pixels that the longer of opposite sides have.
    func size(aspect: Double) -> (width: Int, height: Int) {
        let sides = corners.meanSides
        let width = max(sides.width, sides.height * aspect)
        return (max(1, Int(width.rounded())), max(1, Int((width / aspect).rounded())))
    }

    /// True for a quadrilateral that can be seen for the most part.
    private static func isSensible(_ expected: Quadrilateral, in plane: LumaPlane) -> Bool {
        let (width, height) = (Double(plane.width), Double(plane.height))
        return min(plane.width, plane.height) >= 24 && expected.isConvex
            && expected.corners.allSatisfy {
                (-width...2 * width).contains($0.x) && (-height...2 * height).contains($0.y)
            }
    }

    /// True where a card is larger than it has to be to be found.
    private static func isFine(_ plane: LumaPlane, _ expected: Quadrilateral, level: Int) -> Bool {
        let sides = expected.meanSides
        return max(sides.width, sides.height) / pow(2, Double(level)) > 480 && min(plane.width, plane.height) >= 64
    }
}

extension Quadrilateral {
    func scaled(by factor: Double) -> Quadrilateral { Quadrilateral(corners.map { $0 * factor }) }

    /// Where four lines meet, each with the next: top, right, bottom and left. `nil` where they do not in that order.
    init?(lines: [EdgeLine]) {
        let corners = (0..<4).compactMap { lines[($0 + 3) % 4].crossing(lines[$0]) }
        guard corners.count == 4, corners.allSatisfy(\.isFinite) else { return nil }
        self.init(corners)
        guard isConvex else { return nil }
    }
}
