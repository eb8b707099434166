// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The preview that a capture shows beside its stills; what is `nil` is left to what suits the camera.
public struct PreviewRequest: Sendable, Hashable {
    /// Pixels in a row, after turning. Without a height the proportions stay.
    public var width: Int?
    /// Rows, after turning. Without a width the proportions stay.
    public var height: Int?
    /// At most so many frames a second, rounded up.
    public var frameRate: FrameRate?
    /// Where it is shown.
    public var sink = PreviewSink.automatic
    /// `true` to mirror the preview, after it is turned as the stills are; layers on it are not mirrored.
    public var isMirrored = false

    /// Creates a request that leaves all open.
    public init() {}
}
