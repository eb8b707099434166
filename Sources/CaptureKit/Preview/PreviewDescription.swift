// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The branch of the pipeline that shows frames, in gst-launch syntax.
///
///     ( name=preview split. ! errorignore ! queue (leaky, 1) ! [videorate !] [decoder !] videoconvert ! videoscale !
///         size ! videoconvert ! videoflip ! capsfilter name=overlay ! videoconvert ! sink )
///
/// Nothing of it touches the stills: the queue lets frames go, a failure ends here, and the first converter takes all
/// that a source can give, so that the preview has no say in that. It mostly has nothing to convert: sizes are changed
/// first, as smaller frames are cheaper to convert. What is drawn is drawn behind the mirror, on frames that no other
/// branch has, unless they come from the camera just as they are shown: then the overlay copies what it draws on.
struct PreviewDescription: Sendable {
    /// What frames are before they are shown.
    enum Media: Sendable, Hashable {
        /// Raw video.
        case raw
        /// JPEG frames.
        case jpeg
        /// That shows when they come.
        case unknown
    }

    /// All of it, behind a tee of the name ``teeName``.
    let text: String

    /// The names by which its parts are found again.
    static let name = "preview", teeName = "split", overlayName = "overlay"
    static let entryName = "preview-in", sizeName = "preview-size", mirrorName = "preview-mirror"

    /// Describes a preview.
    init(_ request: PreviewRequest, of media: Media, on displays: PreviewSink.Displays = .current) {
        var parts = ["\(Self.teeName).", "errorignore", Self.queue(of: 1)]
        if let rate = request.frameRate { parts.append("videorate drop-only=true max-rate=\(rate.roundedUp)") }
        switch media {
        case .raw: break
        case .jpeg: parts.append("jpegdec")
        case .unknown: parts.append("decodebin")
        }
        // Only a size that was asked for in full can have other proportions than the frames.
        let hasBorders = request.width != nil && request.height != nil
        parts += [
            "videoconvert name=\(Self.entryName)", "videoscale add-borders=\(hasBorders)",
            "capsfilter name=\(Self.sizeName) caps=\(SourceDescription.quoted(Self.sizes(request)))", "videoconvert",
            "videoflip name=\(Self.mirrorName) video-direction=\(Self.direction(isMirrored: request.isMirrored))",
            "capsfilter name=\(Self.overlayName) caps=\(SourceDescription.quoted(Self.formats))", "videoconvert",
            request.sink.elements(on: displays),
        ]
        text = "( name=\(Self.name) \(parts.joined(separator: " ! ")) )"
    }

    /// A queue that keeps the newest frames only.
    static func queue(of count: Int) -> String {
        "queue leaky=downstream max-size-buffers=\(count) max-size-bytes=0 max-size-time=0"
    }

    /// How `videoflip` is told.
    static func direction(isMirrored: Bool) -> String { isMirrored ? "horiz" : "identity" }

    /// What can be drawn on.
    private static let formats =
        "video/x-raw,format=(string){I420,YV12,NV12,NV21,YUY2,UYVY,BGRx,RGBx,xRGB,xBGR,BGRA,RGBA,ARGB,ABGR}"

    /// The sizes that are possible before the first frame tells the one.
    private static func sizes(_ request: PreviewRequest) -> String {
        func field(_ length: Int?, _ limit: Int) -> String { length.map(String.init) ?? "[1,\(limit)]" }
        let isOpen = request.width == nil && request.height == nil
        let limit = isOpen ? PreviewSize.limit : PreviewSize(width: 16384, height: 16384)
        return "video/x-raw,width=\(field(request.width, limit.width)),height=\(field(request.height, limit.height)),"
            + "pixel-aspect-ratio=1/1"
    }
}

extension FrameRate {
    /// A whole number, as `videorate` takes it; at least 1.
    fileprivate var roundedUp: Int { max(1, (numerator + denominator - 1) / denominator) }
}
