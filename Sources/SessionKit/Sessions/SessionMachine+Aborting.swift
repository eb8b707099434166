// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The handling of aborts.
extension SessionMachine {
    mutating func abort(_ reason: AbortReason, _ now: ClockTime) -> [Effect] {
        guard let stage = phase.stage else { return refuse(.noStage) }
        let policy = abortPolicy(for: stage)
        let emitted = callOffPicture() + [Effect.emit(.aborted(stage: stage, reason, policy))]
        switch policy {
        case .cancel: return emitted + end(keepsPictures: session.keepsAborted)
        case .retakeStage:
            let start = isRetaken(stage) ? .now : start(of: stage)
            return emitted + drop(progress.stages[stage].empty(), keeping: session.keepsAborted)
                + enter(stage, start, now)
        case .restart:
            return emitted + drop(progress.clear(), keeping: session.keepsAborted) + enter(0, session.start, now)
        }
    }

    /// Cancels the pending picture, if there is one.
    func callOffPicture() -> [Effect] {
        switch phase {
        case .capturing(_, let picture, _), .bringing(_, let picture): [.callOff(picture: picture)]
        default: []
        }
    }

    /// The effect of an abort in a stage. If the session's other stages are done, only the current one begins again.
    func abortPolicy(for stage: Int) -> SessionDescription.AbortPolicy {
        session.abort == .restart && (isRetaken(stage) || wasReviewed) ? .retakeStage : session.abort
    }

    private func isRetaken(_ stage: Int) -> Bool { progress.stages[stage].former != nil }
}

extension SessionProgress {
    /// Opens all stages again; returns all their pictures.
    mutating func clear() -> [SessionPicture] {
        let pictures = pictures
        stages = stages.map { StageProgress(name: $0.name) }
        return pictures
    }
}
