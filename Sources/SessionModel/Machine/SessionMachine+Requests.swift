// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The requests of users and programs.
extension SessionMachine {
    mutating func trigger(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .ready: askConsent(now)
        case .consent: agree(now)
        case .form: endForm(now)
        case .tutorial(let page): turn(from: page, now)
        case .armed(let stage, .trigger): count(stage, now)
        case .recording(let stage, let picture, _): endClip(stage, picture, now)
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
    mutating func bring(_ file: Taking.LibraryFile?, _ now: ClockTime) -> [Effect] {
        switch phase {
        case .switching(let stage, _), .armed(let stage, _):
            guard session.stages[stage].clip == nil else { return refuse(.needsClip) }
            let picture = progress.reserveNumber()
            phase = .bringing(stage: stage, picture: picture)
            return [.bring(Taking(number: picture, stage: stage, role: nil, zero: now, file: file))]
        case .stageDone: return refuse(.noStage)
        case .review: return refuse(.inReview)
        default: return refuse(.notBegun)
        }
    }

    /// Stores values of the form. They can come before the form is shown.
    mutating func fill(_ values: [String: String]) -> [Effect] {
        switch phase {
        case .idle, .ready, .consent, .form, .tutorial:
            progress.form.merge(values) { $1 }
            return []
        default: return refuse(.notBegun)
        }
    }

    /// Refuses a request. A countdown, a pending picture or the end of the session overrides the reason.
    func refuse(_ reason: Refusal) -> [Effect] {
        switch phase {
        case .counting: [.emit(.refused(.counting))]
        case .capturing: [.emit(.refused(.capturing))]
        case .recording: [.emit(.refused(.recording))]
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
        case .capturing(_, let picture, _), .recording(_, let picture, _), .bringing(_, let picture):
            [.callOff(picture: picture)]
        default: []
        }
    }

    /// The effect of an abort in a stage. During a retake, and after the first review, `restart` becomes `retakeStage`.
    package func abortPolicy(for stage: Int) -> SessionDescription.AbortPolicy {
        session.abort == .restart && (isRetaken(stage) || progress.wasReviewed) ? .retakeStage : session.abort
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

/// Cameras that are switched, lost and recovered.
extension SessionMachine {
    /// Handles a camera that delivers. Ignores any but the one requested last: it comes too late.
    mutating func acceptCamera(_ role: CameraRole, _ besides: [CameraRole], _ now: ClockTime) -> [Effect] {
        guard !isOver, role == camera, besides == self.besides else { return [] }
        let emitted = isCameraLost ? [Effect.emit(.cameraBack)] : []
        (hasCamera, isCameraLost) = (true, false)
        guard case .switching(let stage, let start) = phase else { return emitted }
        return emitted + arm(stage, start, now)
    }

    /// Cancels the countdown or the pending capture; the stage resumes when the camera is back. Pictures are kept, and
    /// a pending library picture is not affected.
    mutating func loseCamera() -> [Effect] {
        guard hasCamera, !isOver else { return [] }
        (hasCamera, isCameraLost) = (false, true)
        if case .bringing = phase { return [.emit(.cameraLost)] + stopWatching() }
        let calledOff = callOffPicture()
        switch phase {
        case .armed(let stage, .trigger): phase = .switching(stage: stage, .trigger)
        case .armed(let stage, .gates), .counting(let stage, _), .capturing(let stage, _, _),
            .recording(let stage, _, _):
            phase = .switching(stage: stage, .now)
        default: break
        }
        return calledOff + [.emit(.cameraLost)] + stopWatching()
    }

    /// Switches the camera if the stage allows it. The user can reverse a switch that takes too long.
    mutating func switchCamera(for stage: Int?, _ leave: (inout Self) -> Void = { _ in }) -> [Effect] {
        guard plan.hasSeveralCameras else { return refuse(.onlyCamera) }
        guard stage.map({ session.stages[$0].camera == nil }) ?? true else { return refuse(.cameraIsFixed) }
        leave(&self)
        return request(plan.camera(after: camera))
    }

    /// The stage that waits for its camera, or will be the first to wait; `nil` if no stage waits.
    package var stageWithoutCamera: Int? {
        switch phase {
        case .ready: progress.openStage
        case .switching(let stage, _): stage
        default: nil
        }
    }

    /// Requests the camera of a role, and others beside it; `hasCamera` is `false` until all deliver.
    mutating func request(_ role: CameraRole, besides: [CameraRole] = []) -> [Effect] {
        (camera, self.besides, hasCamera) = (role, besides, false)
        return stopWatching() + [.useCamera(role, besides: besides)]
    }
}

extension SessionMachine.Plan {
    /// The camera to which the user switches from another.
    func camera(after role: CameraRole) -> CameraRole {
        guard let index = cameras.firstIndex(of: role) else { return cameras.first ?? role }
        return cameras[(index + 1) % cameras.count]
    }
}
