// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// What the service manager is to know, gathered from a capture's events. Pure: it has no clock and no socket.
struct ServiceState: Sendable {
    /// Where the service stands in the manager's eyes.
    enum Phase: Sendable, Hashable {
        case starting, ready, reloading, stopping
    }

    private(set) var phase = Phase.starting
    private var progress: Progress
    private var trouble: String?

    /// Nothing has happened yet.
    init(_ schedule: Schedule) { progress = Progress(schedule) }

    /// Takes an event into account; answers what the manager is to be told at once.
    mutating func apply(_ event: CaptureEvent) -> [ServiceMessage] {
        progress.apply(event)
        note(event)
        switch event {
        case .settled, .resting: return becomeReady()
        default: return []
        }
    }

    /// Settings are read anew. Ready it is again with the first frame after that, or when they stay as they were.
    mutating func reload(at now: ClockTime) -> [ServiceMessage] {
        guard phase == .ready else { return [] }
        phase = .reloading
        return [.reloading(now)]
    }

    /// Nothing came of the reload.
    mutating func keepSettings() -> [ServiceMessage] { phase == .reloading ? becomeReady() : [] }

    /// The end begins; the manager is told once.
    mutating func stop() -> [ServiceMessage] {
        guard phase != .stopping else { return [] }
        phase = .stopping
        return [.stopping]
    }

    /// What to send where the capture was watched for half of `watchdogTime`. Stopping has a time limit of the manager's.
    func signOfLife(_ hasMoved: Bool, watchdogTime: Duration) -> [ServiceMessage] {
        switch phase {
        case .starting, .reloading: hasMoved ? [.extendTimeout(watchdogTime), .watchdog] : []
        case .ready: hasMoved ? [.watchdog] : []
        case .stopping: [.watchdog]
        }
    }

    /// The line for `systemctl status`: `12 pictures, 1 missed; next 12:30:00; 1.2 GB free`.
    func status(at now: ClockTime, wall: WallTime) -> String {
        var parts = [progress.account]
        parts.append(phase == .stopping ? "stopping" : trouble ?? nextText(now, wall))
        parts += progress.diskTexts
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private mutating func becomeReady() -> [ServiceMessage] {
        guard phase == .starting || phase == .reloading else { return [] }
        phase = .ready
        return [.ready]
    }

    private mutating func note(_ event: CaptureEvent) {
        switch event {
        case .captured, .settled, .recovered, .storageResumed: trouble = nil
        case .storagePaused(let error, _): trouble = error.summary
        case .stalled(let span): trouble = "no frame for \(Wording.span(span))"
        case .lost(let error), .recovering(_, _, let error): trouble = error.summary
        default: break
        }
    }

    private func nextText(_ now: ClockTime, _ wall: WallTime) -> String {
        guard progress.phase != .opening else { return "opening the camera" }
        guard let due = progress.nextDue, due > now else { return "" }
        return "next \(Timestamp.clock(wall.adding(due - now)))"
    }
}
