// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a user may say about a capture: every field optional, one for each key.
///
/// A key of a preset is the long option of the command line and, in capitals behind `GST_CAPTURE_`, the environment
/// variable; ``Setting/all`` lists them.
public struct CaptureSettings: Sendable {
    /// A camera's id, path, name or number; `scene`, `auto`.
    public var camera: String?
    /// A source in gst-launch syntax, in place of a camera.
    public var source: String?
    /// The size of the camera's frames.
    public var width: Int?, height: Int?
    /// Frames a second.
    public var framerate: FrameRate?
    /// The pixel format, or `mjpeg`.
    public var format: String?
    /// What makes raw video of the source, in gst-launch syntax.
    public var decode: String?
    /// How stills are encoded.
    public var encoding: StillFormat?
    /// 1 to 100.
    public var quality: Int?
    /// The turn of the picture.
    public var rotate: Rotation?
    /// The mirroring of the picture.
    public var flip: Flip?
    /// A file name with fields; `-` is standard output.
    public var output: String?
    /// True to replace files.
    public var overwrite: Bool?
    /// A link to the newest picture.
    public var latest: String?
    /// Outlines for the preview.
    public var overlay: [String]?
    /// How to wait for exposure.
    public var settle: Settle?
    /// Controls to set, in order.
    public var controls: [(name: String, value: String)] = []
    /// Automatic controls to freeze.
    public var lock: Set<LockableControl>?
    /// The flash LED.
    public var flash: FlashMode?
    /// The self-timer.
    public var delay: Duration?
    /// Seconds that are counted before each picture.
    public var countdown: Duration?
    /// Frames for each picture.
    public var burst: Int?
    /// The time from one picture to the next.
    public var interval: Duration?
    /// How many pictures.
    public var count: Int?
    /// For how long.
    public var length: Duration?
    /// Until when.
    public var until: WallClockTarget?

    /// Settings that say nothing.
    public init() {}
}
