// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit

/// The preview that a capture shows beside its stills. A property that is `nil` gets a value that suits the camera.
public struct PreviewRequest: Sendable, Hashable {
    /// The width in pixels, after turning. If the height is `nil`, the proportions stay.
    public var width: Int?
    /// The height in pixels, after turning. If the width is `nil`, the proportions stay.
    public var height: Int?
    /// The maximum number of frames per second, rounded up.
    public var frameRate: FrameRate?
    /// The sink that shows the preview.
    public var sink = PreviewSink.automatic
    /// `true` to mirror the preview after it is turned; layers on it are not mirrored.
    public var isMirrored = false

    /// Creates a request with default values.
    public init() {}
}
