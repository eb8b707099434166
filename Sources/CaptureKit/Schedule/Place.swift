// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place on Earth, for when the sun rises there.
public struct Place: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    public let longitude: Double

    /// Creates a place; what is beyond its range is taken to the end of it.
    public init(latitude: Double, longitude: Double) {
        self.latitude = max(-90, min(90, latitude))
        self.longitude = max(-180, min(180, longitude))
    }
}
