// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import Glibc

/// A rectangle as seen by a camera of square pixels that looks at the center of the picture.
enum TiltedRectangle {
    /// The shortest and the longest focal length that is considered, in lengths of the picture's longer side.
    private static let lenses = 0.5...8.0

    /// Returns the deviation of four corners from those of any rectangle of these proportions, for the lens that
    /// explains them best. It is the larger of the deviations of the proportions (logarithm of a quotient) and of the
    /// right angle (cosine).
    ///
    /// A map from the rectangle's plane is K (r1 r2 t). Without the lens K, its columns r1 and r2 have the same length
    /// and are at right angles (Zhang, A Flexible New Technique for Camera Calibration, 2000).
    static func misfit(_ corners: Quadrilateral, aspect: Double, width: Int, height: Int) -> Double {
        let center = PixelPoint(Double(width) / 2, Double(height) / 2)
        let centered = Quadrilateral(corners.corners.map { $0 - center })
        let flat = PixelBox(x: 0, y: 0, width: aspect, height: 1).corners
        guard let map = Homography(from: flat, to: centered) else { return .infinity }
        let longer = Double(max(width, height))
        // Even steps of the inverse of the focal length, to which perspective is proportional.
        return (0...16).map { step in
            let (near, far) = (1 / lenses.lowerBound, 1 / lenses.upperBound)
            let focal = longer / (far + (near - far) * Double(step) / 16)
            let across = SIMD3(map.x.x / focal, map.y.x / focal, map.w.x)
            let down = SIMD3(map.x.y / focal, map.y.y / focal, map.w.y)
            let (a, b) = ((across * across).sum(), (down * down).sum())
            return max((log(a / b) / 2).magnitude, ((across * down).sum() / (a * b).squareRoot()).magnitude)
        }.min() ?? .infinity
    }
}
