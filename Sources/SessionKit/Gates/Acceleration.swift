// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An acceleration as an accelerometer measures it, gravity included, in m/s².
struct Acceleration: Sendable, Hashable {
    var x: Double
    var y: Double
    var z: Double

    var length: Double { (x * x + y * y + z * z).squareRoot() }

    static func - (one: Acceleration, other: Acceleration) -> Acceleration {
        Acceleration(x: one.x - other.x, y: one.y - other.y, z: one.z - other.z)
    }

    /// Returns the acceleration moved toward another by a part of their difference.
    func moved(toward other: Acceleration, by part: Double) -> Acceleration {
        let way = other - self
        return Acceleration(x: x + way.x * part, y: y + way.y * part, z: z + way.z * part)
    }
}
