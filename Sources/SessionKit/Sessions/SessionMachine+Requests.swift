// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The requests of users and programs.
extension SessionMachine {
    mutating func trigger(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .ready: explain(now)
        case .tutorial(let page): turn(from: page, now)
        case .armed(let stage, .trigger): count(stage, now)
        case .stageDone: enterNextStage(now)
        case .armed(_, .gates): refuse(.waitingForGates)
        case .switching: refuse(.switchingCamera)
        case .review: refuse(.inReview)
        default: refuse(.notBegun)
        }
    }

    mutating func skip(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .tutorial: endTutorial(now)
        case .switching(let stage, _), .armed(let stage, _): skip(stage, now)
        case .stageDone: refuse(.noStage)
        case .review: refuse(.inReview)
        default: refuse(.notBegun)
        }
    }

    mutating func switchCamera() -> [Effect] {
        switch phase {
        case .ready: switchCamera(for: progress.openStage)
        case .switching(let stage, _): switchCamera(for: stage)
        case .armed(let stage, .trigger): switchCamera(for: stage) { $0.phase = .switching(stage: stage, .trigger) }
        case .armed(let stage, .gates): switchCamera(for: stage) { $0.phase = .switching(stage: stage, .now) }
        case .stageDone: refuse(.noStage)
        case .review: refuse(.inReview)
        default: refuse(.notBegun)
        }
    }

    /// Opens a stage for a retake. Its pictures are kept until the new ones are there.
    mutating func retake(_ stage: Int, _ picture: Int?, _ now: ClockTime) -> [Effect] {
        switch phase {
        case .review, .stageDone:
            guard progress.stages.indices.contains(stage), progress.stages[stage].state != .open,
                picture == nil || progress.stages[stage].pictures.contains(where: { $0.number == picture })
            else { return refuse(.notTaken) }
            progress.stages[stage].reopen(retaking: picture)
            return enter(stage, .now, now)
        default: return refuse(.notInReview)
        }
    }

    mutating func accept() -> [Effect] {
        guard phase == .review else { return refuse(.notInReview) }
        (phase, progress.ending) = (.accepted, .accepted)
        return [.end(.accepted)]
    }

    mutating func discard() -> [Effect] { phase == .review ? end(keepsPictures: false) : refuse(.notInReview) }

    mutating func cancel() -> [Effect] {
        isOver ? refuse(.over) : callOffPicture() + end(keepsPictures: session.keepsAborted)
    }

    /// Brings in a picture; no camera is needed.
    mutating func bring() -> [Effect] {
        switch phase {
        case .switching(let stage, _), .armed(let stage, _):
            let picture = progress.reserveNumber()
            phase = .bringing(stage: stage, picture: picture)
            return [.bring(picture: picture, stage: stage)]
        case .stageDone: return refuse(.noStage)
        case .review: return refuse(.inReview)
        default: return refuse(.notBegun)
        }
    }

    /// Refuses a request. A countdown, a pending picture or the end of the session overrides the reason.
    func refuse(_ reason: Refusal) -> [Effect] {
        switch phase {
        case .counting: [.emit(.refused(.counting))]
        case .capturing: [.emit(.refused(.capturing))]
        case .bringing: [.emit(.refused(.bringing))]
        case .accepted, .cancelled: [.emit(.refused(.over))]
        default: [.emit(.refused(reason))]
        }
    }
}

extension SessionMachine {
    var isOver: Bool { phase == .accepted || phase == .cancelled }

    mutating func end(keepsPictures: Bool) -> [Effect] {
        let effects = stopWatching() + drop(progress.clear(), keeping: keepsPictures)
        (phase, progress.ending) = (.cancelled, .cancelled)
        return effects + [.end(.cancelled)]
    }

    private mutating func skip(_ stage: Int, _ now: ClockTime) -> [Effect] {
        let hasFormer = !(progress.stages[stage].former ?? []).isEmpty
        guard session.stages[stage].isSkippable || hasFormer else { return refuse(.notSkippable) }
        let dropped = progress.stages[stage].skip()
        return drop(dropped, keeping: false) + [.emit(.skipped(stage))] + enterNextStage(now)
    }
}
