// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a session shows besides where it stands.
struct SessionScene: Sendable {
    /// The outlines of its stages, by the names that those have for them.
    var outlines: [String: Outline] = [:]
    /// The file of each picture that is shown: the crop where there is one.
    var files: [Int: String] = [:]
    /// The seconds that are left; `nil` while none are counted.
    var countdown: Int?
    /// What would make gates hold.
    var hints: [GateRequest.Kind: GateHint] = [:]
    /// Which gates the hints are of.
    var generation = 0
    /// The picture of the review that is shown alone.
    var enlarged: Int?
    /// What was told last, until the next phase but one.
    var notice: String?
    /// What could not be drawn.
    var failedLayers: Set<String> = []
}

extension SessionScene {
    /// Comes to a phase.
    mutating func enter(_ phase: SessionMachine.Phase) {
        switch phase {
        case .counting, .capturing: notice = nil
        case .review: countdown = nil
        default: (countdown, enlarged) = (nil, nil)
        }
        if case .capturing = phase { countdown = countdown ?? 0 }
    }

    /// Takes what is told into account.
    mutating func take(_ told: SessionMachine.Notice) {
        switch told {
        case .aborted(_, let reason, _): notice = "Once more: \(reason.explanation)"
        case .failed(_, let error): notice = error.message
        case .refused(let refusal): notice = refusal.explanation
        default: break
        }
    }
}
