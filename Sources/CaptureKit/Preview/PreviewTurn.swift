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
        var own = Orientation.upright
        var isMirrored: Bool
        /// The format of the frames; `nil` before the first.
        var frame: VideoInfo?
    }

    private let description: PreviewDescription
    private let flip: Element
    private let filter: Element
    private let onChange: @Sendable (VideoInfo, Orientation) -> Void
    private let state: Mutex<State>

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
    func look(at sample: Sample) {
        // Raw frames have no tags.
        guard description.media != .raw else { return }
        let own = sample.ownOrientation
        let frame: VideoInfo? = state.withLock { state in
            guard own != state.own else { return nil }
            state.own = own
            turn(state)
            return state.frame
        }
        if let frame { setFormat(frame) }
    }

    /// Receives the format of decoded frames. Runs on a streaming thread.
    func setFormat(_ frame: VideoInfo) {
        let orientation = state.withLock { state in
            state.frame = frame
            let orientation = state.own.then(description.orientation)
            fit(frame, orientation)
            return orientation
        }
        // Called outside of the lock: the screen calls `mirror(_:)` under its own lock.
        onChange(frame, orientation)
    }

    private func turn(_ state: State) {
        let direction = description.direction(after: state.own, isMirrored: state.isMirrored)
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
