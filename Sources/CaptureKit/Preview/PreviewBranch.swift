// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit
import Synchronization

/// The preview of a running pipeline: its size, its mirror, what is drawn on it, and the keys of its window.
final class PreviewBranch: Sendable {
    /// What happens on it.
    enum Happening: Sendable {
        /// Frames have this size from now on.
        case size(PreviewSize)
        /// A key went down in the window.
        case key(String)
    }

    /// What happens, as it happens; of a listener that is far behind, the oldest are dropped.
    let happenings: AsyncStream<Happening>

    private let request: PreviewRequest
    private let overlay: Overlay?
    private let tell: AsyncStream<Happening>.Continuation
    private let mirror: Mutex<(element: Element?, isOn: Bool)>

    init(_ request: PreviewRequest, _ overlay: Overlay?) {
        self.request = request
        self.overlay = overlay
        mirror = Mutex((nil, request.isMirrored))
        (happenings, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    /// Takes up its work on a pipeline that has such a branch and does not run yet.
    func attach(to pipeline: Pipeline) throws(PipelineError) {
        try followSize(in: pipeline)
        try connectMirror(of: pipeline)
        guard let pad = try pipeline.element(named: PreviewDescription.overlayName).pad("src") else { return }
        try listen(at: pad)
        try overlay?.attach(to: pad)
    }

    /// Shows it as a mirror does, or not, from the next frame on.
    func mirror(_ isOn: Bool) {
        mirror.withLock { mirror in
            mirror.isOn = isOn
            Self.turn(mirror.element, isOn)
        }
    }

    private func connectMirror(of pipeline: Pipeline) throws(PipelineError) {
        let element = try pipeline.element(named: PreviewDescription.mirrorName)
        mirror.withLock { mirror in
            mirror.element = element
            Self.turn(element, mirror.isOn)
        }
    }

    private static func turn(_ element: Element?, _ isOn: Bool) {
        try? element?.set("video-direction", to: PreviewDescription.direction(isMirrored: isOn))
    }

    /// The size, and the colour, which a scaler would otherwise choose by the size, are known when the first frame comes.
    private func followSize(in pipeline: Pipeline) throws(PipelineError) {
        let filter = try pipeline.element(named: PreviewDescription.sizeName)
        guard let pad = try pipeline.element(named: PreviewDescription.entryName).pad("sink") else { return }
        try pad.probeEvents { [request, tell] event in
            guard case .caps(let caps) = event, let info = caps.videoInfo else { return .pass }
            let size = PreviewSize(of: info, request)
            if let caps = try? Caps(size.caps(colorimetry: info.colorimetry)) { try? filter.set("caps", to: caps) }
            tell.yield(.size(size))
            return .pass
        }
        // The source does not have to choose its format again because the preview has chosen its own.
        try pad.probeEvents(.upstream) { event in
            if case .other("reconfigure") = event { .drop } else { .pass }
        }
    }

    /// Keys and the mouse are the program's: no source has a use for them.
    private func listen(at pad: Pad) throws(PipelineError) {
        try pad.probeEvents(.upstream) { [tell] event in
            guard case .navigation(let act) = event else { return .pass }
            if case .keyPress(let key) = act { tell.yield(.key(key)) }
            return .drop
        }
    }
}

extension PreviewSize {
    /// The size as caps that keep the colour as it is.
    fileprivate func caps(colorimetry: String?) -> String {
        "video/x-raw,width=\(width),height=\(height),pixel-aspect-ratio=1/1"
            + (colorimetry.map { ",colorimetry=(string)\"\($0)\"" } ?? "")
    }
}
