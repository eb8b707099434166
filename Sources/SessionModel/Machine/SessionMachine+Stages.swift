// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// The steps of a stage.
extension SessionMachine {
    /// Enters a stage, and requests its camera unless that already delivers.
    mutating func enter(_ stage: Int, _ start: SessionDescription.Start, _ now: ClockTime) -> [Effect] {
        let (role, besides) = (role(for: stage), session.stages[stage].besides)
        if hasCamera, role == camera, besides == self.besides {
            return [.emit(.stage(stage))] + arm(stage, start, now)
        }
        phase = .switching(stage: stage, start)
        return [.emit(.stage(stage))] + request(role, besides: besides)
    }

    /// The camera for a stage. If the stage allows any, a retake uses the camera of the former picture, and other
    /// stages keep the current camera.
    private func role(for stage: Int) -> CameraRole {
        session.stages[stage].camera ?? progress.stages[stage].formerCamera ?? camera
    }

    /// Arms a stage whose camera delivers: its gates are watched from now on.
    mutating func arm(_ stage: Int, _ start: SessionDescription.Start, _ now: ClockTime) -> [Effect] {
        let watching = watch(session.gates(of: session.stages[stage]))
        if start == .now { return watching + count(stage, now) }
        phase = .armed(stage: stage, .trigger)
        return watching
    }

    mutating func count(_ stage: Int, _ now: ClockTime) -> [Effect] {
        count(stage, to: now + session.countdown(of: session.stages[stage]), now)
    }

    /// Begins the countdown to a moment, unless a gate blocks it.
    mutating func count(_ stage: Int, to zero: ClockTime, _ now: ClockTime) -> [Effect] {
        if let end = endOfWait(since: now) {
            phase = .armed(stage: stage, .gates(since: now))
            return [.wake(end)]
        }
        phase = .counting(stage: stage, zero: zero)
        countdown = Countdown(to: zero, of: zero - now, from: now)
        return continueCountdown(stage, zero, now)
    }

    /// Emits the current second, and requests the picture when it is due.
    mutating func continueCountdown(_ stage: Int, _ zero: ClockTime, _ now: ClockTime) -> [Effect] {
        guard now < zero - latency else { return capture(stage, zero, now) }
        return emitSecond(now) + [.wake(min(countdown.next ?? zero, zero - latency))]
    }

    /// Emits the seconds that remain after the request for the picture, if the latency is longer than a second.
    mutating func continueCapture(_ now: ClockTime) -> [Effect] {
        emitSecond(now) + (countdown.next.map { [.wake($0)] } ?? [])
    }

    mutating func learn(_ latency: Duration, _ now: ClockTime) -> [Effect] {
        self.latency = max(.zero, latency)
        guard case .counting(let stage, let zero) = phase else { return [] }
        return continueCountdown(stage, zero, now)
    }

    mutating func wake(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .armed(let stage, .gates(let since)): return wait(stage, since: since, now)
        case .counting(let stage, let zero): return continueCountdown(stage, zero, now)
        case .capturing: return continueCapture(now)
        case .recording(let stage, let picture, let end): return continueClip(stage, picture, end, now)
        case .stageDone(_, let until): return now < until ? [.wake(until)] : enterNextStage(now)
        default: return []
        }
    }

    private mutating func emitSecond(_ now: ClockTime) -> [Effect] {
        countdown.dueSecond(at: now).map { [.countdown($0)] } ?? []
    }

    private mutating func capture(_ stage: Int, _ zero: ClockTime, _ now: ClockTime) -> [Effect] {
        let picture = progress.reserveNumber()
        phase = .capturing(stage: stage, picture: picture, zero: zero)
        let taking = Taking(number: picture, stage: stage, role: camera, besides: besides, zero: zero)
        return [session.stages[stage].clip == nil ? .capture(taking) : .record(taking)] + continueCapture(now)
    }
}

/// The time of a clip.
extension SessionMachine {
    /// Begins to count the seconds of a clip, whose first picture is being recorded.
    mutating func beginClip(_ number: Int, _ now: ClockTime) -> [Effect] {
        guard case .capturing(let stage, number, _) = phase, let length = session.stages[stage].clip else { return [] }
        let end = now + length
        phase = .recording(stage: stage, picture: number, end: end)
        countdown = Countdown(to: end, of: length, from: now)
        // The whole length is shown in any case.
        _ = countdown.dueSecond(at: now)
        return [.remaining(length), .wake(countdown.next ?? end)]
    }

    /// Emits the current second. At the end, the clip is pending like a picture: the recorder ends it by itself.
    private mutating func continueClip(_ stage: Int, _ picture: Int, _ end: ClockTime, _ now: ClockTime) -> [Effect] {
        guard now < end else {
            phase = .capturing(stage: stage, picture: picture, zero: end)
            return []
        }
        let second = countdown.dueSecond(at: now).map { [Effect.remaining($0)] } ?? []
        return second + [.wake(countdown.next ?? end)]
    }

    /// Ends a clip before its time.
    mutating func endClip(_ stage: Int, _ picture: Int, _ now: ClockTime) -> [Effect] {
        (phase, countdown) = (.capturing(stage: stage, picture: picture, zero: now), Countdown())
        return [.endClip(picture: picture)]
    }
}

/// The results of pictures.
extension SessionMachine {
    mutating func keep(_ number: Int, _ now: ClockTime) -> [Effect] {
        switch phase {
        case .capturing(let stage, number, let zero):
            progress.stages[stage].pictures.append(SessionPicture(number: number, camera: camera))
            return isFull(stage) ? complete(stage, now) : captureNext(stage, after: zero, now)
        case .recording(let stage, number, _):
            progress.stages[stage].pictures.append(SessionPicture(number: number, camera: camera))
            return complete(stage, now)
        case .bringing(let stage, number):
            progress.stages[stage].pictures.append(SessionPicture(number: number, camera: nil))
            return isFull(stage) ? complete(stage, now) : enter(stage, .trigger, now)
        default: return release(stray: number)
        }
    }

    /// Releases a picture that came although it was canceled.
    private func release(stray number: Int) -> [Effect] {
        let isKnown = (progress.pictures + progress.setAside).contains { $0.number == number }
        guard !isKnown, number >= 1, number < progress.nextPicture else { return [] }
        return [.release([SessionPicture(number: number, camera: camera)])]
    }

    mutating func fail(_ number: Int, _ error: CaptureError, _ now: ClockTime) -> [Effect] {
        switch phase {
        case .capturing(let stage, number, _), .recording(let stage, number, _):
            phase = .armed(stage: stage, .trigger)
            return [.emit(.failed(stage: stage, error))]
        case .bringing(let stage, number): return [.emit(.failed(stage: stage, error))] + enter(stage, .trigger, now)
        default: return []
        }
    }

    /// `true` if a stage has as many pictures as it needs.
    func isFull(_ stage: Int) -> Bool {
        let isSingle = progress.stages[stage].retaken != nil || session.stages[stage].clip != nil
        let needed = isSingle ? 1 : max(1, session.stages[stage].pictures)
        return progress.stages[stage].pictures.count >= needed
    }

    private mutating func captureNext(_ stage: Int, after zero: ClockTime, _ now: ClockTime) -> [Effect] {
        if case .timed(let interval) = session.stages[stage].sequence {
            return count(stage, to: max(now, zero + interval), now)
        }
        phase = .armed(stage: stage, .trigger)
        return []
    }

    private mutating func complete(_ stage: Int, _ now: ClockTime) -> [Effect] {
        let replaced = progress.stages[stage].close()
        let until = now + plan.showing
        phase = .stageDone(stage: stage, until: until)
        return stopWatching() + drop(replaced, keeping: false) + [.emit(.stageDone(stage)), .wake(until)]
    }

    /// Enters the next open stage; begins the review if there is none.
    mutating func enterNextStage(_ now: ClockTime) -> [Effect] {
        progress.openStage.map { enter($0, start(of: $0), now) } ?? review()
    }

    mutating func review() -> [Effect] {
        (phase, progress.wasReviewed) = (.review, true)
        return stopWatching()
    }

    /// The condition that begins a stage when the session reaches it.
    func start(of stage: Int) -> SessionDescription.Start { session.start(of: stage) }

    /// Drops pictures that no longer belong to the session: sets them aside, or releases them. If too many are set
    /// aside, it releases the oldest.
    mutating func drop(_ pictures: [SessionPicture], keeping isKept: Bool) -> [Effect] {
        guard !pictures.isEmpty else { return [] }
        guard isKept else { return [.release(pictures)] }
        progress.setAside += pictures
        let excess = progress.setAside.prefix(max(0, progress.setAside.count - SessionProgress.mostSetAside))
        progress.setAside.removeFirst(excess.count)
        return [.setAside(pictures)] + drop(Array(excess), keeping: false)
    }
}

/// The steps before the first stage.
extension SessionMachine {
    mutating func begin(_ now: ClockTime) -> [Effect] {
        guard phase == .idle else { return [] }
        if let ending = progress.ending { return end(again: ending) }
        if progress.isBegun { return resume(now) }
        if session.start == .now { return askConsent(now) }
        phase = .ready
        return request(session.stages.first?.camera ?? camera)
    }

    /// Shows the consent, unless there is none or an earlier run has it.
    mutating func askConsent(_ now: ClockTime) -> [Effect] {
        guard session.consent != nil, !progress.hasConsent else { return askFields(now) }
        phase = .consent
        return []
    }

    mutating func agree(_ now: ClockTime) -> [Effect] {
        progress.hasConsent = true
        return askFields(now)
    }

    /// Shows the form, unless it is complete.
    private mutating func askFields(_ now: ClockTime) -> [Effect] {
        let isFilled = session.form.allSatisfy { progress.form[$0.name] != nil }
        guard !isFilled else { return explain(now) }
        phase = .form
        // The person shows a code to the camera.
        return session.form.contains(where: \.isScanned) && !hasCamera
            ? request(session.stages.first?.camera ?? camera) : []
    }

    mutating func endForm(_ now: ClockTime) -> [Effect] {
        let isComplete = session.form.allSatisfy { !$0.isRequired || progress.form[$0.name] != nil }
        return isComplete ? explain(now) : refuse(.fieldsMissing)
    }

    /// Shows the tutorial, unless the user knows it already.
    mutating func explain(_ now: ClockTime) -> [Effect] {
        guard !session.tutorial.isEmpty, !(plan.knowsTutorial && session.remembersTutorial) else {
            return startRun(now)
        }
        phase = .tutorial(page: 0)
        return []
    }

    mutating func turn(from page: Int, _ now: ClockTime) -> [Effect] {
        guard page + 1 < session.tutorial.count else { return endTutorial(now) }
        phase = .tutorial(page: page + 1)
        return []
    }

    mutating func endTutorial(_ now: ClockTime) -> [Effect] {
        (session.remembersTutorial ? [.rememberTutorial] : []) + startRun(now)
    }

    /// Begins the first open stage at once, as the user who triggered the session is ready.
    /// A first stage with a separate `start` waits for it.
    private mutating func startRun(_ now: ClockTime) -> [Effect] {
        progress.openStage.map { enter($0, session.stages[$0].start ?? .now, now) } ?? review()
    }

    /// Resumes an earlier run with `session.start`, as another user may be there now. Closes stages that got their last
    /// picture just before a crash.
    private mutating func resume(_ now: ClockTime) -> [Effect] {
        var replaced: [SessionPicture] = []
        for index in progress.stages.indices where isFull(index) && progress.stages[index].state == .open {
            replaced += progress.stages[index].close()
        }
        let next = progress.openStage.map { enter($0, session.start, now) } ?? review()
        return drop(replaced, keeping: false) + next
    }

    private mutating func end(again ending: SessionProgress.Ending) -> [Effect] {
        phase = ending == .accepted ? .accepted : .cancelled
        return [.end(ending)]
    }
}

/// The gates of a stage.
extension SessionMachine {
    /// Watches these gates only. Discards earlier verdicts, which belong to another stage or another camera.
    mutating func watch(_ gates: [GateRequest]) -> [Effect] {
        let hadAny = !watched.isEmpty
        (watched, verdicts, overruled) = (gates, [:], [])
        return hadAny || !gates.isEmpty ? [.watch(gates)] : []
    }

    mutating func stopWatching() -> [Effect] { watch([]) }

    mutating func judge(_ kind: GateRequest.Kind, _ holds: Bool, _ now: ClockTime) -> [Effect] {
        guard let gate = watched.first(where: { $0.kind == kind }) else { return [] }
        verdicts[kind] = holds
        switch phase {
        case .armed(let stage, .gates(let since)): return wait(stage, since: since, now)
        case .counting: return spoils(gate, holds) ? abort(.gate(kind), now) : []
        // The moment of the picture may be over.
        case .capturing(_, _, let zero): return now < zero && spoils(gate, holds) ? abort(.gate(kind), now) : []
        default: return []
        }
    }

    private func spoils(_ gate: GateRequest, _ holds: Bool) -> Bool { !holds && gate.failure == .abort }

    /// Begins the countdown once every gate holds, only warns, or has timed out; else waits for the next timeout.
    /// Aborts the run if the timeout of a gate requires that.
    mutating func wait(_ stage: Int, since: ClockTime, _ now: ClockTime) -> [Effect] {
        var emitted: [Effect] = []
        for gate in barring where now >= since + gate.limit {
            if gate.failure == .abort || gate.expiry == .abort { return emitted + abort(.expired(gate.kind), now) }
            overruled.insert(gate.kind)
            emitted.append(.emit(.overruled(gate.kind)))
        }
        guard let end = endOfWait(since: since) else { return emitted + count(stage, now) }
        return emitted + [.wake(end)]
    }

    /// The moment of the next timeout; `nil` if no gate blocks the countdown.
    func endOfWait(since: ClockTime) -> ClockTime? { barring.map { since + $0.limit }.min() }

    /// The gates that block the countdown: they wait or abort, are not known to hold, and have not timed out.
    private var barring: [GateRequest] {
        watched.filter { $0.failure != .warn && verdicts[$0.kind] != true && !overruled.contains($0.kind) }
    }
}
