// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import Glibc

/// The edges of a card in a picture, found near their expected places.
///
/// The search first rates all straight lines near each side on a small copy of the picture, by the change of brightness
/// across them (a Hough transform over the two ends of the side). The best four sides must be those of a card of the
/// given proportions, seen at an angle. Each side is then fitted to fractions of a pixel on larger and larger copies.
/// The fit counts every edge on the line, clear or faint, lighter or darker, and subtracts those that are there by
/// chance: on a rough background, many edges are clearer than the card's own.
struct CardEdges: Sendable, Hashable {
    /// The corners that the card would have if they were not round.
    let corners: Quadrilateral
    /// The share of the least certain side along which its edge is visible, beyond chance: 0...1.
    let confidence: Double

    /// The least accepted confidence. Below it, a side is often print, or a line in the background.
    static let leastConfidence = 0.6
    /// The largest accepted deviation of the corners from those of a card seen at an angle. On real photographs,
    /// correct corners were within 1.2 %; of print and background mistaken for a card, three quarters were above.
    private static let mostMisfit = 0.02
    /// The largest accepted overshoot: chance edges on a rough background cause some.
    private static let mostOvershoot = 0.4
    /// The largest share of a side along which the background may be as bright as the card's margin.
    private static let mostMarginOutside = 0.6

    /// Finds a card.
    ///
    /// - Parameters:
    ///   - plane: The picture's brightness.
    ///   - expected: The expected place of the card. The card may be off by a quarter of its shorter side, and turned
    ///     by 15 degrees.
    ///   - aspect: The card's width divided by its height.
    /// - Throws: ``CaptureError`` if the edges are not certain.
    static func find(
        in plane: LumaPlane, near expected: Quadrilateral, aspect: Double
    ) throws(CaptureError) -> CardEdges {
        let edges = search(in: plane, near: expected, aspect: aspect)
        guard let edges, edges.confidence >= leastConfidence else {
            throw CaptureError(
                .inputOutput, "the four edges of a card are not found near the outline",
                subject: StillCropper.stillSubject,
                advice: "put the card on a plain background of another brightness, without glare, near the outline")
        }
        return edges
    }

    /// Returns the most likely edges, even if their confidence is low; `nil` if no four lines can be a card.
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

    /// Returns the size of the card without perspective, from the mean lengths of its sides. The larger of the mean
    /// width and the width for the mean height counts.
    func size(aspect: Double) -> (width: Int, height: Int) {
        let sides = corners.meanSides
        let width = max(sides.width, sides.height * aspect)
        return (max(1, Int(width.rounded())), max(1, Int((width / aspect).rounded())))
    }

    /// `true` if the quadrilateral is convex, no corner is farther outside than the picture is large, and the picture
    /// has at least 24 pixels in each direction.
    private static func isSensible(_ expected: Quadrilateral, in plane: LumaPlane) -> Bool {
        let (width, height) = (Double(plane.width), Double(plane.height))
        return min(plane.width, plane.height) >= 24 && expected.isConvex
            && expected.corners.allSatisfy {
                (-width...2 * width).contains($0.x) && (-height...2 * height).contains($0.y)
            }
    }

    /// `true` if the card is larger than the search needs, so that a picture of half the size is enough.
    private static func isFine(_ plane: LumaPlane, _ expected: Quadrilateral, level: Int) -> Bool {
        let sides = expected.meanSides
        return max(sides.width, sides.height) / pow(2, Double(level)) > 480 && min(plane.width, plane.height) >= 64
    }
}

extension Quadrilateral {
    func scaled(by factor: Double) -> Quadrilateral { Quadrilateral(corners.map { $0 * factor }) }

    /// Creates the quadrilateral between four lines: top, right, bottom and left. `nil` if they do not cross in that
    /// order.
    init?(lines: [EdgeLine]) {
        let corners = (0..<4).compactMap { lines[($0 + 3) % 4].crossing(lines[$0]) }
        guard corners.count == 4, corners.allSatisfy(\.isFinite) else { return nil }
        self.init(corners)
        guard isConvex else { return nil }
    }
}
