// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The steps before the first stage.
extension SessionMachine {
    mutating func begin(_ now: ClockTime) -> [Effect] {
        guard phase == .idle else { return [] }
        if let ending = progress.ending { return end(again: ending) }
        if progress.isBegun { return resume(now) }
        if session.start == .now { return explain(now) }
        phase = .ready
        return request(session.stages.first?.camera ?? camera)
    }

    /// Shows the tutorial, unless the user knows it already.
    mutating func explain(_ now: ClockTime) -> [Effect] {
        guard !session.tutorial.isEmpty, !(plan.knowsTutorial && session.remembersTutorial) else {
            return startRun(now)
        }
        phase = .tutorial(page: 0)
        return [.show(page: 0)]
    }

    mutating func turn(from page: Int, _ now: ClockTime) -> [Effect] {
        guard page + 1 < session.tutorial.count else { return endTutorial(now) }
        phase = .tutorial(page: page + 1)
        return [.show(page: page + 1)]
    }

    mutating func endTutorial(_ now: ClockTime) -> [Effect] {
        (session.remembersTutorial ? [.rememberTutorial] : []) + startRun(now)
    }

    /// Begins the first open stage at once, as the user who triggered the session is ready.
    private mutating func startRun(_ now: ClockTime) -> [Effect] {
        progress.openStage.map { enter($0, .now, now) } ?? review()
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
