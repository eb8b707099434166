// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import PipelineKit
import StillKit
import Synchronization

/// Turns and sizes the frames of a lens. It applies the orientation in a JPEG frame's tags, then the orientation of the
/// stills, then the mirroring.
final class PreviewTurn: Sendable {
    private struct State {
        /// The orientation in the tags of the camera's frames.
        var tagged = Orientation.upright
        var isMirrored: Bool
        /// The format of the frames; `nil` before the first.
        var frame: VideoInfo?
    }

    private let description: PreviewDescription
    private let flip: Element
    private let filter: Element
    private let onChange: @Sendable (VideoInfo, Orientation) -> Void
    private let state: Mutex<State>
    /// Held during a change and its report, so that reports are in the order of the changes.
    private let reports = Mutex(())

    /// Creates the turn of a lens.
    ///
    /// - Parameter onChange: Receives the format of the frames, and how they are turned, when one of the two changes.
    init(
        _ description: PreviewDescription, in pipeline: Pipeline,
        _ onChange: @escaping @Sendable (VideoInfo, Orientation) -> Void
    ) throws(PipelineError) {
        (self.description, self.onChange) = (description, onChange)
        flip = try pipeline.element(named: PreviewDescription.mirrorName)
        filter = try pipeline.element(named: PreviewDescription.sizeName)
        state = Mutex(State(isMirrored: description.request.isMirrored))
    }

    /// Mirrors the turned frames if `isOn` is `true`.
    func mirror(_ isOn: Bool) {
        state.withLock { state in
            state.isMirrored = isOn
            turn(state)
        }
    }

    /// Reads the tags of a frame from the camera before it is decoded. Runs on the camera's streaming thread.
    func readTags(of sample: Sample) {
        // Raw frames have no tags.
        guard description.media != .raw else { return }
        let tagged = sample.ownOrientation
        update { state in
            guard tagged != state.tagged else { return false }
            state.tagged = tagged
            turn(state)
            return true
        }
    }

    /// Receives the format of decoded frames. Runs on a streaming thread.
    func setFormat(_ frame: VideoInfo) {
        update { state in
            state.frame = frame
            return true
        }
    }

    /// Changes the state, sizes the frames for it, and reports it. Does nothing else if `change` returns `false`, or
    /// before the first format.
    private func update(_ change: (inout State) -> Bool) {
        reports.withLock { _ in
            let changed: (frame: VideoInfo, orientation: Orientation)? = state.withLock { state in
                guard change(&state), let frame = state.frame else { return nil }
                let orientation = state.tagged.then(description.orientation)
                fit(frame, orientation)
                return (frame, orientation)
            }
            // Called without the state's lock: the screen takes its own lock here, and calls `mirror(_:)` under it.
            if let changed { onChange(changed.frame, changed.orientation) }
        }
    }

    private func turn(_ state: State) {
        let direction = description.direction(after: state.tagged, isMirrored: state.isMirrored)
        try? flip.set("video-direction", to: direction)
    }

    /// Sets the size and the color before the first frame arrives. Otherwise the scaler would choose the color by the
    /// size.
    private func fit(_ frame: VideoInfo, _ orientation: Orientation) {
        let size = PreviewSize(of: frame, description.request, orientation).turned(by: orientation)
        if let caps = try? Caps(size.caps(colorimetry: frame.colorimetry)) { try? filter.set("caps", to: caps) }
    }
}

extension PreviewSize {
    /// The size as caps that keep the color.
    fileprivate func caps(colorimetry: String?) -> String {
        "video/x-raw,width=\(width),height=\(height),pixel-aspect-ratio=1/1"
            + (colorimetry.map { ",colorimetry=(string)\"\($0)\"" } ?? "")
    }
}
