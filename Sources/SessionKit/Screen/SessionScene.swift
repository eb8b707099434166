// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

/// The state of a session to show at one moment.
struct SessionScene: Sendable {
    /// The phase of the session.
    var phase: SessionMachine.Phase
    /// The progress of the session.
    var progress: SessionProgress
    /// The remaining seconds of a countdown; else empty.
    var countdown = ""
    /// The remaining time of the clip that is being recorded; `nil` if there is none.
    var remaining: Duration?
    /// Hints that would improve the picture, the most important first.
    var hints: [String] = []
    /// The latest notice or refusal, while it is shown; else empty.
    var notice = ""
    /// The files of the pictures by number; a crop in place of a cropped picture.
    var files: [Int: String] = [:]
    /// The files of the whole pictures by number, which line up with the preview.
    var wholes: [Int: String] = [:]
    /// The durations of the clips by number.
    var durations: [Int: Duration] = [:]
    /// The tile of the review that is shown alone, counted from 0; `nil` to show all.
    var closeUp: Int?
    /// The selected tile of the review, counted from 0.
    var selection: Int?
    /// `true` while all keys are shown.
    var showsHelp = false
    /// The current effect of an abort: during a retake, for example, only its stage begins again.
    var abort = SessionDescription.AbortPolicy.restart
    /// `true` to show the keys of a window or a terminal.
    var hasKeys = false
    /// `true` to show buttons for the keys, as the window reports presses.
    var hasButtons = false
    /// `true` if there is any camera.
    var hasCamera = true
    /// `true` if there is a camera to switch to.
    var hasSeveralCameras = false
    /// `true` if pictures can be brought in from a library.
    var hasLibrary = false

    /// Creates a scene with only a phase and progress.
    init(_ phase: SessionMachine.Phase, _ progress: SessionProgress) {
        self.phase = phase
        self.progress = progress
    }
}

extension SessionScene {
    /// The current stage; `nil` outside of stages.
    var stage: Int? { phase.stage }
}

/// The view of a session on the preview.
enum SessionView: Sendable, Hashable {
    /// Layers over the camera's frames, and values for the placeholders in their texts.
    case live(layers: [Layer], values: [String: String])
    /// A page in place of the frames.
    case page(layers: [Layer], PreviewScreen.Ground)
}

extension SessionView {
    /// Returns the view with more values for placeholders, except for names that have a value. A page has no values.
    func adding(_ more: [String: String]) -> SessionView {
        guard case .live(let layers, let values) = self, !more.isEmpty else { return self }
        return .live(layers: layers, values: values.merging(more) { own, _ in own })
    }
}
