// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A pixel format or compression that a camera offers, with its sizes.
public struct CameraFormat: Sendable, Hashable {
    /// V4L2's four characters, such as `YUYV` or `MJPG`; empty if the camera was not found through V4L2.
    public let fourcc: FourCC
    /// The driver's name for the format, for people, such as `Motion-JPEG`.
    public let title: String
    /// GStreamer's name for the format; `nil` if it has none and so cannot read the format.
    public let media: MediaType?
    /// The sizes, in the driver's order.
    public let sizes: [FrameSize]
    /// `true` if the driver's library emulates the format from another one (`V4L2_FMT_FLAG_EMULATED`).
    public let isEmulated: Bool

    /// Creates a format.
    public init(fourcc: FourCC, title: String, media: MediaType?, sizes: [FrameSize], isEmulated: Bool = false) {
        self.fourcc = fourcc
        self.title = title
        self.media = media
        self.sizes = sizes
        self.isEmulated = isEmulated
    }

    /// Creates a format from V4L2's code, which determines ``media``.
    public init(fourcc: FourCC, title: String = "", sizes: [FrameSize], isEmulated: Bool = false) {
        self.init(fourcc: fourcc, title: title, media: fourcc.media, sizes: sizes, isEmulated: isEmulated)
    }

    /// GStreamer's name for the media type: `video/x-raw`, `image/jpeg`.
    public var mediaName: String? { media?.name }
    /// GStreamer's name for the pixel or Bayer format: `YUY2`.
    public var pixelFormat: String? { media?.format }
    /// `true` for JPEG frames, whose stills need no encoding.
    public var isJPEG: Bool { media == .jpeg }
    /// `true` for raw video.
    public var isRaw: Bool { media?.name == MediaType.rawName }

    /// `true` if the format has this width and height.
    public func contains(width: Int, height: Int) -> Bool {
        sizes.contains { $0.contains(width: width, height: height) }
    }

    /// `true` if `text` names this format: GStreamer's or V4L2's name, or `mjpeg` for JPEG, in upper or lower case. An
    /// empty text names none.
    public func isNamed(_ text: String) -> Bool {
        guard !text.isEmpty else { return false }
        let wanted = text.lowercased()
        if isJPEG, ["jpeg", "jpg", "mjpeg", "mjpg", "image/jpeg"].contains(wanted) { return true }
        return wanted == fourcc.description.lowercased() || wanted == pixelFormat?.lowercased()
            || wanted == media?.description.lowercased()
    }
}
