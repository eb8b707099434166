// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The format that a camera is asked for; what is `nil` is left to the camera.
public struct FormatRequest: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int?
    /// Rows.
    public var height: Int?
    /// Frames a second.
    public var frameRate: FrameRate?
    /// GStreamer's pixel format such as `YUY2`, or `mjpeg`.
    public var format: String?

    /// A request that leaves all to the camera.
    public init() {}
}

extension FormatRequest {
    /// The request as caps, for sources whose formats are not known; `nil` where nothing is asked for.
    var caps: String? {
        guard self != FormatRequest() else { return nil }
        var fields = ""
        if let width { fields += ",width=\(width)" }
        if let height { fields += ",height=\(height)" }
        if let frameRate { fields += ",framerate=\(frameRate.numerator)/\(frameRate.denominator)" }
        if isJPEG { return "image/jpeg" + fields }
        if let format { return "video/x-raw,format=\(format)" + fields }
        return "video/x-raw\(fields);image/jpeg\(fields)"
    }

    /// True where the camera is asked for JPEG frames.
    var isJPEG: Bool { format.map { ["mjpeg", "mjpg", "jpeg"].contains($0.lowercased()) } ?? false }
}
