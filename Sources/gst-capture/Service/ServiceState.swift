// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// The state that the service manager sees, computed from a capture's events. Pure: it has no clock and no socket.
struct ServiceState: Sendable {
    /// The state of the service, as the manager sees it.
    enum Phase: Sendable, Hashable {
        case starting, ready, reloading, stopping
    }

    private(set) var phase = Phase.starting
    private var progress: Progress
    private var trouble: String?

    /// Creates the state before the first event.
    init(_ schedule: Schedule) { progress = Progress(schedule) }

    /// Continues with another schedule from this position.
    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {
        progress.follow(schedule, from: position)
    }

    /// Applies an event.
    ///
    /// - Returns: The messages to send now.
    mutating func apply(_ event: CaptureEvent) -> [ServiceMessage] {
        progress.apply(event)
        record(event)
        switch event {
        case .settled, .resting: return becomeReady()
        default: return []
        }
    }

    /// Begins a reload. The service is ready again when the camera has settled or rests, or when ``keepSettings()`` is
    /// called. Returns no message if the service is not ready.
    mutating func reload(at now: ClockTime) -> [ServiceMessage] {
        guard phase == .ready else { return [] }
        phase = .reloading
        return [.reloading(now)]
    }

    /// Ends a reload that failed.
    mutating func keepSettings() -> [ServiceMessage] { phase == .reloading ? becomeReady() : [] }

    /// Begins stopping. Only the first call returns a message.
    mutating func stop() -> [ServiceMessage] {
        guard phase != .stopping else { return [] }
        phase = .stopping
        return [.stopping]
    }

    /// Returns the messages to send after the capture was watched for half of `watchdogTime`. While the service is
    /// stopping, the watchdog message is always sent: the manager has a separate timeout for stopping.
    func signOfLife(_ hasMoved: Bool, watchdogTime: Duration) -> [ServiceMessage] {
        switch phase {
        case .starting, .reloading: hasMoved ? [.extendTimeout(watchdogTime), .watchdog] : []
        case .ready: hasMoved ? [.watchdog] : []
        case .stopping: [.watchdog]
        }
    }

    /// Returns the line for `systemctl status`: `12 pictures, 1 missed; next 12:30:00; 12 GB free`.
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

    private mutating func record(_ event: CaptureEvent) {
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
        return "next \(Timestamp.soon(wall.adding(due - now), after: wall))"
    }
}
