// Part of gst-capture. Apache License 2.0, see LICENSE.

/// GStreamer's name for a format in caps, without sizes and rates: `video/x-raw,format=YUY2`, `image/jpeg`.
public struct MediaType: Sendable, Hashable {
    /// The name of the caps structure.
    public let name: String
    /// The pixel or Bayer format, if the media type has one.
    public let format: String?

    static let rawName = "video/x-raw"

    /// JPEG frames.
    public static let jpeg = MediaType("image/jpeg")

    /// Creates a media type.
    public init(_ name: String, format: String? = nil) {
        self.name = name
        self.format = format
    }

    /// Returns the type of raw video in a pixel format.
    public static func raw(_ format: String) -> MediaType { MediaType(rawName, format: format) }
    /// Returns the type of Bayer data: the values of a sensor before demosaicing.
    public static func bayer(_ format: String) -> MediaType { MediaType("video/x-bayer", format: format) }
}

extension MediaType: CustomStringConvertible {
    /// The type as caps: `video/x-raw,format=YUY2`.
    public var description: String { name + (format.map { ",format=\($0)" } ?? "") }
}
