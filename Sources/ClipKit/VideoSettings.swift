// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureKit
import VideoKit

/// How the pictures of a camera become video.
public struct VideoSettings: Sendable, Hashable {
    /// The width and the height in pixels, after turning. If one is `nil`, the proportions stay; if both are, the size is
    /// that of the camera's frames, scaled down to fit into 1920x1080, upright or not.
    public var width: Int?, height: Int?
    /// Frames a second at most; `nil` for all frames of the camera.
    public var frameRate: FrameRate?
    /// Bits a second; `nil` for a rate that suits the size.
    public var bitRate: Int?
    /// The size into which frames are scaled down without a width and a height.
    package var limit = PreviewSize(width: 1920, height: 1080)
    /// The encoder.
    package var encoder = EncoderCatalog.Choice.automatic

    /// Creates settings that suit the camera.
    public init() {}
}
