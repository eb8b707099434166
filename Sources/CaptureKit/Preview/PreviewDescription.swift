// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CropKit
import StillKit

/// The pipelines that show frames, in gst-launch syntax.
///
///     camera   source ! … ! appsink
///     lens     appsrc ! [videorate !] [decoder !] videoconvert ! videoscale ! size ! videoconvert ! videoflip !
///                  capsfilter name=overlay ! appsink
///     screen   appsrc ! videoconvert ! sink
///
/// The screen outlives cameras. Each camera has a separate lens, with the decoder for its frames. Frames pass from one
/// pipeline to the next over bridges that drop the oldest frame. The preview therefore does not affect the stills: no
/// pipeline waits for another, an error stays in its pipeline, and the preview does not take part in negotiating the
/// camera's format.
///
/// The lens usually has nothing to convert. It scales first, because smaller frames are cheaper to convert and to turn.
/// `videoflip` turns frames as the stills are turned, and mirrors them if the preview is a mirror. Layers are drawn on
/// the turned and mirrored frames.
struct PreviewDescription: Sendable {
    /// The media type of the camera's frames.
    enum Media: Sendable, Hashable {
        /// Raw video.
        case raw
        /// JPEG frames.
        case jpeg
        /// Unknown until the first frame.
        case unknown
    }

    let request: PreviewRequest
    let media: Media
    /// The transformation that shows frames upright, the same as for the camera's stills.
    let orientation: Orientation
    private let displays: PreviewSink.Displays

    /// The names of elements.
    static let teeName = "split"
    static let sourceName = "preview-source", endName = "preview-end"
    static let entryName = "preview-in", scaleName = "preview-scale", sizeName = "preview-size"
    static let convertName = "preview-convert", mirrorName = "preview-mirror", overlayName = "overlay"

    /// Creates the description of a preview.
    init(
        _ request: PreviewRequest, of media: Media, _ orientation: Orientation = .upright,
        on displays: PreviewSink.Displays = .current
    ) {
        self.request = request
        self.media = media
        self.orientation = orientation
        self.displays = displays
    }

    /// The pipeline between a camera and the screen.
    var lens: String {
        ([Self.source] + steps + ["appsink name=\(Self.endName) sync=false"]).joined(separator: " ! ")
    }

    /// The pipeline that shows the frames that arrive.
    var screen: String { ([Self.source] + showing).joined(separator: " ! ") }

    /// The lens and the screen as a branch of the camera's pipeline, for gst-launch: the same elements in one pipeline.
    var branch: String {
        (["\(Self.teeName).", Self.queue(of: 1)] + steps + showing).joined(separator: " ! ")
    }

    /// Returns a queue that keeps only the newest frames.
    static func queue(of count: Int) -> String {
        "queue leaky=downstream max-size-buffers=\(count) max-size-bytes=0 max-size-time=0"
    }

    /// The end of a bridge: it keeps only the newest frame.
    private static let source =
        "appsrc name=\(sourceName) is-live=true format=time max-buffers=1 max-bytes=0 leaky-type=downstream"

    private var showing: [String] { ["videoconvert", request.sink.elements(on: displays)] }

    /// The elements that prepare a frame: the lens without its ends.
    var steps: [String] {
        // Only a request for both width and height can have other proportions than the frames.
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

    /// Returns the `video-direction` of `videoflip`, which turns first, then mirrors.
    ///
    /// - Parameter tagged: The orientation in the tags of the camera's frames, which is applied first.
    func direction(after tagged: Orientation, isMirrored: Bool) -> String {
        tagged.then(orientation).then(isMirrored ? .mirrored : .upright).videoDirection
    }

    /// The formats of the frames from `videoflip` on: `videoflip` accepts them, gates can measure them, and layers can
    /// be drawn on them. `videoconvert` converts frames of all other formats.
    private static let formats =
        "video/x-raw,format=(string){I420,YV12,NV12,NV21,YUY2,UYVY,BGRx,RGBx,xRGB,xBGR,BGRA,RGBA,ARGB,ABGR}"

    /// The sizes that the scaler may negotiate before the first frame decides, before turning.
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
    /// The rate rounded up to a whole number, which `videorate` requires; at least 1.
    fileprivate var roundedUp: Int { max(1, (numerator + denominator - 1) / denominator) }
}
