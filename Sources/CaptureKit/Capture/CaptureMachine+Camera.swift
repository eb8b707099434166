// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Handling of a camera that is lost and comes back, or that rests.
extension CaptureMachine {
    mutating func loseCamera() -> [Effect] {
        hasCamera = false
        return []
    }

    /// Lets the current slot get its frame from the reopened camera.
    mutating func regainCamera(_ now: ClockTime) -> [Effect] {
        guard !hasCamera, !rest.isOn else { return [] }
        hasCamera = true
        rest.learn(now)
        if case .picking(let slot) = phase { return [.pick(slot)] }
        return []
    }

    /// Closes the camera if the slot is far away, and reopens it in time for the slot.
    mutating func restOrRouse(before slot: Slot, _ now: ClockTime) -> [Effect] {
        if let end = rest.end(before: slot.due) { return now < end ? [] : rouse(now) }
        guard hasCamera, sourceEnd == nil, rest.begin(before: slot.due, at: now) else { return [] }
        hasCamera = false
        return [.rest(until: slot)]
    }

    mutating func rouse(_ now: ClockTime) -> [Effect] { rest.finish(now) ? [.rouse] : [] }
}
