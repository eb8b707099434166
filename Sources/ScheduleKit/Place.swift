// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place on Earth, for sunrise and sunset.
public struct Place: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    public let longitude: Double

    /// Creates a place; values beyond their ranges are clamped.
    public init(latitude: Double, longitude: Double) {
        self.latitude = max(-90, min(90, latitude))
        self.longitude = max(-180, min(180, longitude))
    }
}
