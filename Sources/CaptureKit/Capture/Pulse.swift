// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Signs of life of a capture at one moment. A watchdog compares two of them: a capture that works has moved.
///
///     let earlier = await controller.pulse
///     // some seconds later
///     let isAlive = await controller.pulse.hasMoved(since: earlier, at: PipelineClock.system.now)
public struct Pulse: Sendable, Hashable {
    /// When the last frame arrived; `nil` before the first.
    public var lastFrame: ClockTime?
    /// How often the camera was opened, lost, retried, recovered or closed for a rest, plus the number of slots whose
    /// pictures were stored.
    public var steps: Int
    /// The moment until which the camera deliberately needs no frames, at rest or before the next attempt to reopen it;
    /// `nil` if it needs frames.
    public var restsUntil: ClockTime?
    /// The number of frames since the camera was opened.
    public var frames = 0

    /// Creates a pulse.
    public init(lastFrame: ClockTime? = nil, steps: Int = 0, restsUntil: ClockTime? = nil) {
        self.lastFrame = lastFrame
        self.steps = steps
        self.restsUntil = restsUntil
    }

    /// Returns `true` if frames or steps came since `earlier`, or if no frame is due at `now`.
    public func hasMoved(since earlier: Pulse, at now: ClockTime) -> Bool {
        lastFrame != earlier.lastFrame || steps != earlier.steps || restsUntil.map { now < $0 + Self.grace } ?? false
    }

    /// How long a rest may overrun. After that it no longer counts as a rest: its alarm did not ring.
    private static let grace = Duration.seconds(1)

    /// Counts an event of the camera, and each stored slot. Slots without pictures are not a sign of life.
    mutating func record(_ event: CaptureEvent, at now: ClockTime) {
        switch event {
        case .recovering(_, let next, _): (steps, restsUntil) = (steps + 1, now + next)
        case .resting(let slot): (steps, restsUntil) = (steps + 1, slot.due)
        case .opening, .lost, .recovered, .stored: (steps, restsUntil) = (steps + 1, nil)
        default: break
        }
    }
}
