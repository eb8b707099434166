// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor

/// The state of a session's display besides its phase and progress, and the view on the screen.
struct SessionDisplay: Sendable {
    /// The outlines of the stages, by the names that the stages use.
    var outlines: [String: Outline] = [:]
    /// The size of the preview's frames.
    var size = PreviewSize(width: 1280, height: 720)
    /// The remaining seconds; `nil` if there is no countdown.
    var countdown: Int?
    /// The tile of the review that is shown alone.
    var closeUp: Int?
    /// The tile of the review that is selected; `nil` before a key moved the selection.
    var selection: Int?
    /// The key whose second press is pending.
    var confirmation: SessionKey?
    /// `true` while all keys are shown in place of the preview.
    var showsHelp = false
    /// The current effect of an abort.
    var abort = SessionDescription.AbortPolicy.restart
    /// The latest notice.
    var notice = ""
    /// `true` if the notice stays until the next countdown; else the next phase removes it.
    var isNoticeLasting = false
    /// The layers that could not be drawn.
    var failedLayers: Set<String> = []
    /// The view on the screen.
    var shown: SessionView?
}

extension SessionDisplay {
    /// Updates the display for a new phase.
    mutating func enter(_ phase: SessionMachine.Phase) {
        (closeUp, confirmation, showsHelp) = (nil, nil, false)
        if phase != .review, phase.stage == nil { selection = nil }
        switch phase {
        case .counting: notice = ""
        case .capturing: break
        default:
            countdown = nil
            if !isNoticeLasting { notice = "" }
        }
    }

    /// Keeps the selection within the tiles of the review: a stage that was skipped since has fewer.
    mutating func limitSelection(to tileCount: Int) { selection = selection.map { min($0, tileCount - 1) } }

    /// Updates the display for a notice of the machine.
    mutating func apply(_ event: SessionMachine.Notice) {
        switch event {
        case .aborted(_, let reason, .cancel): setNotice(reason.explanation, isLasting: true)
        case .aborted(_, let reason, _): setNotice("Once more: \(reason.explanation)", isLasting: true)
        case .failed(_, let error): setNotice(error.message, isLasting: true)
        case .refused(let refusal): setNotice(refusal.explanation)
        case .cameraBack: setNotice("")
        default: break
        }
    }

    /// Sets the notice.
    mutating func setNotice(_ text: String, isLasting: Bool = false) { (notice, isNoticeLasting) = (text, isLasting) }

    /// The scene to show now.
    func scene(_ phase: SessionMachine.Phase, _ progress: SessionProgress) -> SessionScene {
        var scene = SessionScene(phase, progress)
        scene.countdown = countdown.map(String.init) ?? ""
        scene.notice = notice
        (scene.closeUp, scene.selection) = (closeUp, selection)
        (scene.showsHelp, scene.abort) = (showsHelp, abort)
        return scene
    }
}
