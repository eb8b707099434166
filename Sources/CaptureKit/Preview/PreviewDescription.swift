// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pipelines that show frames, in gst-launch syntax.
///
///     camera   source ! … ! tee name=split  split. ! … stills  split. ! appsink
///     lens     appsrc ! [videorate !] [decoder !] videoconvert ! videoscale ! size ! videoconvert ! videoflip !
///                  capsfilter name=overlay ! appsink
///     screen   appsrc ! videoconvert ! sink
///
/// The screen outlives cameras, and each camera has a lens of its own, with the decoder for what that one gives. Frames
/// go from one to the next over bridges that let the oldest go, so nothing of it touches the stills: nobody waits, a
/// failure stays where it is, and the preview has no say in the camera's format. The lens mostly has nothing to convert:
/// sizes are changed first, as smaller frames are cheaper to convert and to turn. `videoflip` turns frames as the stills
/// are turned, and mirrors them if the preview is a mirror. Layers are drawn on the turned and mirrored frames.
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

    let request: PreviewRequest
    let media: Media
    /// How frames are turned to stand upright: as the stills of the camera.
    let orientation: Orientation
    private let displays: PreviewSink.Displays

    /// The names by which parts are found again.
    static let teeName = "split", tapName = "preview-tap"
    static let sourceName = "preview-source", endName = "preview-end"
    static let entryName = "preview-in", scaleName = "preview-scale", sizeName = "preview-size"
    static let convertName = "preview-convert", mirrorName = "preview-mirror", overlayName = "overlay"

    /// Describes a preview.
    init(
        _ request: PreviewRequest, of media: Media, _ orientation: Orientation = .upright,
        on displays: PreviewSink.Displays = .current
    ) {
        self.request = request
        self.media = media
        self.orientation = orientation
        self.displays = displays
    }

    /// The end of the camera's pipeline that frames leave by, behind the tee. It does not wait for a first frame, as the
    /// stills' sink does: one of them has to let it through.
    static let tap = "\(teeName). ! appsink name=\(tapName) sync=false async=false"

    /// The pipeline between a camera and the screen.
    var lens: String {
        ([Self.source] + steps + ["appsink name=\(Self.endName) sync=false"]).joined(separator: " ! ")
    }

    /// The pipeline that shows what comes.
    var screen: String { ([Self.source] + showing).joined(separator: " ! ") }

    /// All of it as a branch of the camera's pipeline, for gst-launch: the same elements, but one life.
    var branch: String {
        (["\(Self.teeName).", Self.queue(of: 1)] + steps + showing).joined(separator: " ! ")
    }

    /// A queue that keeps the newest frames only.
    static func queue(of count: Int) -> String {
        "queue leaky=downstream max-size-buffers=\(count) max-size-bytes=0 max-size-time=0"
    }

    /// The far end of a bridge: it keeps the newest frame only.
    private static let source =
        "appsrc name=\(sourceName) is-live=true format=time max-buffers=1 max-bytes=0 leaky-type=downstream"

    private var showing: [String] { ["videoconvert", request.sink.elements(on: displays)] }

    private var steps: [String] {
        // Only a size that was asked for in full can have other proportions than the frames.
        let hasBorders = request.width != nil && request.height != nil
        return rate + decoder + [
            "videoconvert name=\(Self.entryName)", "videoscale name=\(Self.scaleName) add-borders=\(hasBorders)",
            "capsfilter name=\(Self.sizeName) caps=\(SourceDescription.quoted(sizes))",
            "videoconvert name=\(Self.convertName)",
            "videoflip name=\(Self.mirrorName) video-direction=\(direction(after: .upright, isMirrored: request.isMirrored))",
            "capsfilter name=\(Self.overlayName) caps=\(SourceDescription.quoted(Self.formats))",
        ]
    }

    private var rate: [String] {
        request.frameRate.map { ["videorate drop-only=true max-rate=\($0.roundedUp)"] } ?? []
    }

    private var decoder: [String] {
        switch media {
        case .raw: []
        case .jpeg: ["jpegdec"]
        case .unknown: ["decodebin"]
        }
    }

    /// The `video-direction` of `videoflip`: turned first, then mirrored.
    ///
    /// - Parameter own: The orientation in the tags of the camera's frames, which comes before all.
    func direction(after own: Orientation, isMirrored: Bool) -> String {
        own.then(orientation).then(isMirrored ? .mirrored : .upright).videoDirection
    }

    /// What can be drawn on.
    private static let formats =
        "video/x-raw,format=(string){I420,YV12,NV12,NV21,YUY2,UYVY,BGRx,RGBx,xRGB,xBGR,BGRA,RGBA,ARGB,ABGR}"

    /// The sizes that the scaler may give before the first frame decides: those before turning.
    private var sizes: String {
        func field(_ length: Int?, _ limit: Int) -> String { length.map(String.init) ?? "[1,\(limit)]" }
        let isOpen = request.width == nil && request.height == nil
        let limit = isOpen ? PreviewSize.limit : PreviewSize(width: 16384, height: 16384)
        let (width, height) = (field(request.width, limit.width), field(request.height, limit.height))
        let (columns, rows) = orientation.swapsAxes ? (height, width) : (width, height)
        return "video/x-raw,width=\(columns),height=\(rows),pixel-aspect-ratio=1/1"
    }
}

extension FrameRate {
    /// A whole number, as `videorate` takes it; at least 1.
    fileprivate var roundedUp: Int { max(1, (numerator + denominator - 1) / denominator) }
}
