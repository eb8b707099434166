// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A camera that is lost and comes back, or rests.
extension CaptureMachine {
    mutating func loseCamera() -> [Effect] {
        hasCamera = false
        return []
    }

    /// The slot in hand gets its frame from the camera that is there now.
    mutating func regainCamera(_ now: ClockTime) -> [Effect] {
        guard !hasCamera, !rest.isOn else { return [] }
        hasCamera = true
        rest.learn(now)
        if case .picking(let slot) = phase { return [.pick(slot)] }
        return []
    }

    /// Long before a slot the camera is closed; in time for it, it is opened again.
    mutating func restOrRouse(before slot: Slot, _ now: ClockTime) -> [Effect] {
        if let end = rest.end(before: slot.due) { return now < end ? [] : rouse(now) }
        guard hasCamera, sourceEnd == nil, rest.begin(before: slot.due, at: now) else { return [] }
        hasCamera = false
        return [.rest(until: slot)]
    }

    mutating func rouse(_ now: ClockTime) -> [Effect] { rest.finish(now) ? [.rouse] : [] }
}
