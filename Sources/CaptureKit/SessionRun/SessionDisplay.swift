// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a session shows besides where it stands, and what is on the screen because of it.
struct SessionDisplay: Sendable {
    /// The outlines of its stages, by the names that those have for them.
    var outlines: [String: Outline] = [:]
    /// The file of each picture that is shown: the crop where there is one.
    var files: [Int: String] = [:]
    /// The file of each whole picture.
    var wholes: [Int: String] = [:]
    /// The frames of the preview.
    var size = PreviewSize(width: 1280, height: 720)
    /// The seconds that are left; `nil` while none are counted.
    var countdown: Int?
    /// What would make gates hold.
    var hints: [GateRequest.Kind: GateHint] = [:]
    /// Which gates the hints are of.
    var generation = 0
    /// The tile of the review that is shown alone.
    var closeUp: Int?
    /// The tile of the review that is selected; `nil` before a key moved the selection.
    var selection: Int?
    /// The key whose second press is waited for.
    var confirmation: SessionKey?
    /// `true` while all keys are shown in place of the preview.
    var showsHelp = false
    /// What an abort does now.
    var abort = SessionDescription.AbortPolicy.restart
    /// What was told last.
    var notice = ""
    /// True where that is to be read until it counts again; else it is gone with the next phase.
    var isNoticeLasting = false
    /// What could not be drawn.
    var failedLayers: Set<String> = []
    /// What is on the screen.
    var shown: SessionView?
}

extension SessionDisplay {
    /// Comes to a phase.
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

    /// Takes what is told into account.
    mutating func take(_ told: SessionMachine.Notice) {
        switch told {
        case .aborted(_, let reason, .cancel): note(reason.explanation, isLasting: true)
        case .aborted(_, let reason, _): note("Once more: \(reason.explanation)", isLasting: true)
        case .failed(_, let error): note(error.message, isLasting: true)
        case .refused(let refusal): note(refusal.explanation)
        case .cameraBack: note("")
        default: break
        }
    }

    /// Shows what there is to say.
    mutating func note(_ text: String, isLasting: Bool = false) { (notice, isNoticeLasting) = (text, isLasting) }

    /// All that there is to show now.
    func scene(_ phase: SessionMachine.Phase, _ standing: SessionStanding) -> SessionScene {
        var scene = SessionScene(phase, standing)
        scene.countdown = countdown.map(String.init) ?? ""
        scene.hints = GateRequest.Kind.allCases.compactMap { hints[$0]?.rawValue }
        scene.notice = notice
        (scene.files, scene.wholes) = (files, wholes)
        (scene.closeUp, scene.selection) = (closeUp, selection)
        (scene.showsHelp, scene.abort) = (showsHelp, abort)
        return scene
    }
}
