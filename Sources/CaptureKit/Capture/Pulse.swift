// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Signs of life of a capture at one moment. Whoever watches over it compares two: a capture that works has moved.
///
///     let earlier = await controller.pulse
///     // some seconds later
///     let isAlive = await controller.pulse.hasMoved(since: earlier, at: PipelineClock.system.now)
public struct Pulse: Sendable, Hashable {
    /// When the last frame came; `nil` before the first.
    public var lastFrame: ClockTime?
    /// How often the camera was opened, lost, tried again or came back, and how many slots' pictures were stored.
    public var steps: Int
    /// The moment until which it rests on purpose and needs no frames; `nil` while it needs them.
    public var restsUntil: ClockTime?

    /// Creates signs of life.
    public init(lastFrame: ClockTime? = nil, steps: Int = 0, restsUntil: ClockTime? = nil) {
        self.lastFrame = lastFrame
        self.steps = steps
        self.restsUntil = restsUntil
    }

    /// True where frames came or steps were taken since then, or none is due at `now`.
    public func hasMoved(since earlier: Pulse, at now: ClockTime) -> Bool {
        lastFrame != earlier.lastFrame || steps != earlier.steps || restsUntil.map { now < $0 + Self.grace } ?? false
    }

    /// Rest that is over for longer is none: its alarm did not ring.
    private static let grace = Duration.seconds(1)

    /// Counts what an event tells of the camera. Slots that go by without pictures are no sign of life.
    mutating func note(_ event: CaptureEvent, at now: ClockTime) {
        switch event {
        case .recovering(_, let next, _): (steps, restsUntil) = (steps + 1, now + next)
        case .resting(let slot): (steps, restsUntil) = (steps + 1, slot.due)
        case .opening, .lost, .recovered, .stored: (steps, restsUntil) = (steps + 1, nil)
        default: break
        }
    }
}
