// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameMeasures
import PipelineKit
import ScheduleKit

/// The pipeline that delivers frames, in gst-launch syntax.
///
///     source ! caps ! [decode !] appsink name=stills
///     source ! caps ! [decode !] tee name=split  split. ! queue ! appsink name=stills  split. ! appsink
///
/// The tee exists only with the second branch, through which frames go to the preview. The stills' sink keeps only the
/// newest frame, so it never holds up the source and holds only one of its buffers.
package struct SourceDescription: Sendable {
    /// The source element or fragment.
    let source: String
    /// The caps to request from the source; `nil` accepts any.
    let caps: String?
    /// The elements that decode frames to raw video.
    let decode: String?

    /// The preview that the second branch feeds; `nil` for none.
    let preview: PreviewDescription?
    /// The caps of the frames if they are known before the first frame, as with the scene; otherwise `nil`.
    let expectedCaps: Caps?

    /// The name of the sink that delivers frames for stills.
    static let sinkName = "stills"

    /// The pipeline of the camera.
    var text: String { text(preview.map { _ in PreviewDescription.tap }) }

    /// The same for `gst-launch-1.0`, which runs a single pipeline: its second branch contains the whole preview.
    package var launchText: String { text(preview?.branch) }

    private func text(_ branch: String?) -> String {
        var parts = [source]
        if let caps { parts.append(caps) }
        if let decode { parts.append(decode == "auto" ? "decodebin" : decode) }
        let sink = "appsink name=\(Self.sinkName) sync=false"
        guard let branch else { return (parts + [sink]).joined(separator: " ! ") }
        parts.append("tee name=\(PreviewDescription.teeName)")
        let stills = ["\(PreviewDescription.teeName).", PreviewDescription.queue(of: 2), sink]
        return [parts.joined(separator: " ! "), stills.joined(separator: " ! "), branch].joined(separator: "  ")
    }

    /// Describes the source of a configuration.
    ///
    /// - Throws: ``CaptureError`` if the camera does not offer the requested format.
    package init(_ configuration: CaptureConfiguration) throws(CaptureError) {
        let request = configuration.request
        decode = configuration.decode
        switch configuration.source {
        case .fragment(let fragment):
            source = fragment
            // A capsfilter element, because the fragment may end in caps, and two caps in a row are not a valid
            // pipeline.
            caps = request.caps.map { "capsfilter caps=\(Self.quoted($0))" }
            expectedCaps = nil
            preview = Self.preview(configuration, caps: request.caps)
        case .camera(let camera):
            // The scene draws only one frame for a single picture.
            let isDrawnOnce = camera.kind == .scene && configuration.isImmediate
            source = try Self.element(for: camera) + (isDrawnOnce ? " num-buffers=1" : "")
            caps = try FormatChoice(request, offeredBy: camera).caps
            expectedCaps = camera.kind == .scene ? caps.flatMap { try? Caps($0) } : nil
            preview = Self.preview(configuration, caps: caps)
        }
    }

    private static func preview(_ configuration: CaptureConfiguration, caps: String?) -> PreviewDescription? {
        configuration.preview.map { PreviewDescription($0, of: media(configuration, caps), configuration.orientation) }
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
        let waits = delay > .zero || countdown > .zero || notice > .zero || settle != .off
        return schedule.isSingle && !schedule.awaitsWallClock && position == nil && burst == 1 && !waits
    }
}
