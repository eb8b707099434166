// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameMeasures
import PipelineKit
import ScheduleKit

/// The pipeline that delivers frames, in gst-launch syntax.
///
///     source ! caps ! [decode !] appsink name=frames
///
/// Stills, previews and later uses read from this one sink (`FrameOutlet`), so the pipeline stays as it is while they
/// come and go. The outlet keeps only the newest frame: it never delays the source, and holds one of its buffers.
package struct SourceDescription: Sendable {
    /// The source element or fragment.
    let source: String
    /// The caps to request from the source, as a step of the pipeline; `nil` accepts any.
    let caps: String?
    /// The elements that decode frames to raw video.
    let decode: String?

    /// The media type of the frames.
    let media: PreviewDescription.Media
    /// The preview that shows the frames; `nil` for none.
    let preview: PreviewDescription?
    /// The caps of the frames if they are known before the first frame, as with the scene; otherwise `nil`.
    let expectedCaps: Caps?

    /// The name of the sink that delivers frames.
    static let sinkName = "frames"
    /// The name of the source into which a ``FrameLink`` pushes frames.
    static let linkName = "service"

    private static let sink = "appsink name=\(sinkName) sync=false"

    /// The pipeline of the camera.
    var text: String { (camera + [Self.sink]).joined(separator: " ! ") }

    /// The same for `gst-launch-1.0`, which runs a single pipeline: with a preview, a tee stands for the readers of the
    /// sink, and its second branch contains the whole preview. Secrets are left out: events, logs and dry runs show it.
    package var launchText: String { wholeText.withoutSecrets }

    private var wholeText: String {
        guard let preview else { return text }
        let tee = PreviewDescription.teeName
        let stills = ["\(tee).", PreviewDescription.queue(of: 2), Self.sink]
        return [camera + ["tee name=\(tee)"], stills, [preview.branch]].map { $0.joined(separator: " ! ") }
            .joined(separator: "  ")
    }

    private var camera: [String] {
        let decoder = decode == "auto" ? "decodebin" : decode
        return [source, caps, decoder].compactMap { $0 }
    }

    /// Describes the source of a configuration.
    ///
    /// - Throws: ``CaptureError`` if the camera does not offer the requested format.
    package init(_ configuration: CaptureConfiguration) throws(CaptureError) {
        let request = configuration.request
        // A service decodes its frames.
        decode = configuration.servedCamera == nil ? configuration.decode : nil
        switch configuration.source {
        case .camera(let camera) where camera.service != nil:
            // The newest two frames: a pipeline that is behind skips frames.
            source = "appsrc name=\(Self.linkName) is-live=true format=time max-buffers=2 leaky-type=downstream"
            (caps, expectedCaps) = (nil, nil)
            media = Self.media(configuration, nil)
        case .fragment(let fragment):
            source = fragment
            // A capsfilter element, because the fragment may end in caps, and two caps in a row are not a valid
            // pipeline.
            caps = request.caps.map { "capsfilter caps=\(Self.quoted($0))" }
            expectedCaps = nil
            media = Self.media(configuration, request.caps)
        case .camera(let camera):
            // The scene draws only one frame for a single picture.
            let isDrawnOnce = camera.kind == .scene && configuration.isImmediate && !configuration.isShared
            source = try Self.element(for: camera) + (isDrawnOnce ? " num-buffers=1" : "")
            caps = try FormatChoice(request, offeredBy: camera).caps
            expectedCaps = camera.kind == .scene ? caps.flatMap { try? Caps($0) } : nil
            media = Self.media(configuration, caps)
        }
        preview = configuration.preview.map { [media] in PreviewDescription($0, of: media, configuration.orientation) }
    }

    /// The type of the frames is known if the format was requested, or if `decode` names elements that make raw video.
    private static func media(_ configuration: CaptureConfiguration, _ caps: String?) -> PreviewDescription.Media {
        if configuration.decode != nil { return .raw }
        let mayBeJPEG = caps?.contains("jpeg") ?? true
        guard mayBeJPEG else { return .raw }
        return configuration.request.isJPEG || caps?.hasPrefix("image/jpeg") ?? false ? .jpeg : .unknown
    }

    private static func element(for camera: Camera) throws(CaptureError) -> String {
        switch camera.kind {
        case .scene: return "videotestsrc is-live=true"
        case .libcamera: return "libcamerasrc camera-name=\(quoted(camera.libcameraName ?? camera.id))"
        case .v4l2:
            guard let path = camera.path else {
                throw CaptureError(.noCamera, "has no device node", subject: camera.id)
            }
            return "v4l2src device=\(quoted(path))"
        }
    }

    /// Quotes a string for gst-launch, with any characters in it.
    static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard !plain || text.isEmpty else { return text }
        return "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}

extension CaptureConfiguration {
    /// `true` if the first frame is the picture.
    fileprivate var isImmediate: Bool {
        let waits = delay > .zero || countdown > .zero || notice > .zero || settle != .off || motion != nil
        return schedule.isSingle && !schedule.awaitsWallClock && position == nil && burst == 1 && !waits
    }
}
