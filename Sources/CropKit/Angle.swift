// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Angles in degrees.
enum Angle {
    /// Returns the sine and cosine; exact for multiples of 90 degrees, which radians cannot represent.
    static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        switch degrees.truncatingRemainder(dividingBy: 360) {
        case 0: (0, 1)
        case 90, -270: (1, 0)
        case 180, -180: (0, -1)
        case 270, -90: (-1, 0)
        case let rest: (sin(rest * .pi / 180), cos(rest * .pi / 180))
        }
    }
}
