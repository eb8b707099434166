// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The pipeline that brings frames, in gst-launch syntax.
///
///     source ! caps ! [decode !] appsink name=stills
///     source ! caps ! [decode !] tee name=split  split. ! queue ! appsink name=stills  split. ! appsink
///
/// A tee comes with the second branch, not before: one branch needs none. That branch is where frames leave for the
/// preview. The sink keeps the newest frame only, so it never holds the source up, and holds just one of its buffers.
struct SourceDescription: Sendable {
    /// The source element or fragment.
    let source: String
    /// What it is asked for; `nil` for whatever it gives.
    let caps: String?
    /// What makes raw video of it.
    let decode: String?

    /// What shows the frames of the second branch; `nil` for none.
    let preview: PreviewDescription?
    /// The caps of its frames, where they are known before the first: the scene's.
    let expectedCaps: Caps?

    /// The name of the sink that stills are taken from.
    static let sinkName = "stills"

    /// The whole pipeline of the camera.
    var text: String { text(preview.map { _ in PreviewDescription.tap }) }

    /// The same for `gst-launch-1.0`, which runs one pipeline: with all of the preview as its second branch.
    var launchText: String { text(preview?.branch) }

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
    /// - Throws: ``CaptureError`` where the camera does not offer the format that was asked for.
    init(_ configuration: CaptureConfiguration) throws(CaptureError) {
        let request = configuration.request
        decode = configuration.decode
        switch configuration.source {
        case .fragment(let fragment):
            source = fragment
            // An element, as the fragment may end in caps, and two in a row are no pipeline.
            caps = request.caps.map { "capsfilter caps=\(Self.quoted($0))" }
            expectedCaps = nil
            preview = Self.preview(configuration, caps: request.caps)
        case .camera(let camera):
            // Of a single picture the scene is drawn once.
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

    /// What frames are is known where it was asked for, or where elements were named that make raw video.
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

    /// A string as gst-launch reads it, whatever is in it.
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
    /// True where the first frame is the one that is taken.
    fileprivate var isImmediate: Bool {
        let waits = delay > .zero || countdown > .zero || notice > .zero || settle != .off
        return schedule.isSingle && !schedule.awaitsWallClock && position == nil && burst == 1 && !waits
    }
}
