// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// A map between the planes of two pictures that keeps lines straight: scale, turn, mirror, and perspective.
///
/// Its rows are those of the 3 × 3 matrix that maps homogeneous coordinates (Hartley and Zisserman, Multiple View
/// Geometry, 2.3).
public struct Homography: Sendable, Hashable {
    let x: SIMD3<Double>, y: SIMD3<Double>, w: SIMD3<Double>

    init(_ x: SIMD3<Double>, _ y: SIMD3<Double>, _ w: SIMD3<Double> = SIMD3(0, 0, 1)) {
        self.x = x
        self.y = y
        self.w = w
    }

    /// The map that changes nothing.
    public static let identity = Homography(SIMD3(1, 0, 0), SIMD3(0, 1, 0))

    /// Returns the mapped place; not finite for places on the horizon.
    public func callAsFunction(_ place: PixelPoint) -> PixelPoint {
        let place = SIMD3(place.x, place.y, 1)
        let depth = (w * place).sum()
        return PixelPoint((x * place).sum() / depth, (y * place).sum() / depth)
    }

    /// Combines two maps: the right one is applied first.
    public static func * (left: Homography, right: Homography) -> Homography {
        func row(_ row: SIMD3<Double>) -> SIMD3<Double> { row.x * right.x + row.y * right.y + row.z * right.w }
        return Homography(row(left.x), row(left.y), row(left.w))
    }

    /// The inverse map; `nil` if the map is singular.
    public var inverse: Homography? {
        // The rows of the transposed inverse are the cross products of the other rows, divided by the determinant.
        let (first, second, third) = (Self.cross(y, w), Self.cross(w, x), Self.cross(x, y))
        let determinant = (x * first).sum()
        guard determinant.isFinite, determinant.magnitude > 1e-15 else { return nil }
        return Homography(
            SIMD3(first.x, second.x, third.x) / determinant, SIMD3(first.y, second.y, third.y) / determinant,
            SIMD3(first.z, second.z, third.z) / determinant)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}

extension Homography {
    /// Returns a move, in pixels.
    static func moving(_ x: Double, _ y: Double) -> Homography { Homography(SIMD3(1, 0, x), SIMD3(0, 1, y)) }

    /// Returns a scale around the upper left corner.
    static func scaling(_ x: Double, _ y: Double) -> Homography { Homography(SIMD3(x, 0, 0), SIMD3(0, y, 0)) }

    /// Returns a turn around the upper left corner, clockwise on the screen; exact for multiples of 90 degrees.
    static func turning(degrees: Double) -> Homography {
        let (sine, cosine) = Angle.sineAndCosine(degrees: degrees)
        return Homography(SIMD3(cosine, -sine, 0), SIMD3(sine, cosine, 0))
    }

    /// Maps the corners of one quadrilateral to those of another; `nil` if three corners of `source`, or the last three
    /// of `target`, lie on a line.
    public init?(from source: Quadrilateral, to target: Quadrilateral) {
        guard let back = Homography(square: source)?.inverse, let there = Homography(square: target) else { return nil }
        self = there * back
    }

    /// Maps the unit square to a quadrilateral (Heckbert, Fundamentals of Texture Mapping, 2.2.3).
    private init?(square target: Quadrilateral) {
        let corners = target.corners
        let excess = corners[0] - corners[1] + corners[2] - corners[3]
        let (right, down) = (corners[1] - corners[2], corners[3] - corners[2])
        let area = right.cross(down)
        guard area.isFinite, area.magnitude > 1e-12 else { return nil }
        let (g, h) = (excess.cross(down) / area, right.cross(excess) / area)
        let across = corners[1] - corners[0] + corners[1] * g
        let along = corners[3] - corners[0] + corners[3] * h
        self.init(
            SIMD3(across.x, along.x, corners[0].x), SIMD3(across.y, along.y, corners[0].y), SIMD3(g, h, 1))
    }
}
