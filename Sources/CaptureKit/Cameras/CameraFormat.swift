// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A pixel format or compression that a camera offers, with its sizes.
public struct CameraFormat: Sendable, Hashable {
    /// V4L2's four characters, such as `YUYV` or `MJPG`; empty where a camera is not seen through V4L2.
    public let fourcc: FourCC
    /// What the driver calls it, for people, such as `Motion-JPEG`.
    public let title: String
    /// What GStreamer calls it; `nil` where GStreamer has no name for it and so cannot read it.
    public let media: MediaType?
    /// The sizes, in the driver's order.
    public let sizes: [FrameSize]
    /// True where the driver's library makes it from another format (`V4L2_FMT_FLAG_EMULATED`).
    public let isEmulated: Bool

    /// Creates a format.
    public init(fourcc: FourCC, title: String, media: MediaType?, sizes: [FrameSize], isEmulated: Bool = false) {
        self.fourcc = fourcc
        self.title = title
        self.media = media
        self.sizes = sizes
        self.isEmulated = isEmulated
    }

    /// Creates a format by V4L2's name; GStreamer's follows from it.
    public init(fourcc: FourCC, title: String = "", sizes: [FrameSize], isEmulated: Bool = false) {
        self.init(fourcc: fourcc, title: title, media: fourcc.media, sizes: sizes, isEmulated: isEmulated)
    }

    /// What GStreamer calls the media: `video/x-raw`, `image/jpeg`.
    public var mediaName: String? { media?.name }
    /// What GStreamer calls the pixels of raw video: `YUY2`.
    public var pixelFormat: String? { media?.format }
    /// True for JPEG frames, whose stills need no encoding.
    public var isJPEG: Bool { media == .jpeg }
    /// True for raw video.
    public var isRaw: Bool { media?.name == MediaType.rawName }

    /// True where some size holds this width and height.
    public func contains(width: Int, height: Int) -> Bool {
        sizes.contains { $0.contains(width: width, height: height) }
    }

    /// True where `text` means this format: GStreamer's or V4L2's name for it, or `mjpeg`; in any case of letters.
    public func isNamed(_ text: String) -> Bool {
        let wanted = text.lowercased()
        if isJPEG, ["jpeg", "jpg", "mjpeg", "mjpg", "image/jpeg"].contains(wanted) { return true }
        return wanted == fourcc.description.lowercased() || wanted == pixelFormat?.lowercased()
            || wanted == media?.description.lowercased()
    }
}
