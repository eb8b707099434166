// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit

/// The format to request from a camera; the camera chooses the fields that are `nil`.
public struct FormatRequest: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int?
    /// Number of rows.
    public var height: Int?
    /// Frames per second.
    public var frameRate: FrameRate?
    /// GStreamer's name of the pixel format, such as `YUY2`, or `mjpeg`.
    public var format: String?

    /// Creates a request that leaves every field to the camera.
    public init() {}
}

extension FormatRequest {
    /// The request as caps, for sources whose formats are unknown; `nil` if the request is empty.
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

    /// `true` if the request is for JPEG frames.
    var isJPEG: Bool { format.map { ["mjpeg", "mjpg", "jpeg"].contains($0.lowercased()) } ?? false }
}
