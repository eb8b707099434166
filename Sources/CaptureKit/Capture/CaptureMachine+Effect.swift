// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CaptureMachine {
    /// What the controller does about it.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then say `.ready`.
        case open
        /// Close the camera until shortly before the slot.
        case rest(until: Slot)
        /// Open the camera again, then say `.ready`.
        case rouse
        /// Say `.wake` at this moment, and no more at the one before.
        case wake(ClockTime)
        /// Choose the frame nearest the slot's moment and say `.found`; take those that follow and say `.picked`.
        case pick(Slot)
        /// Take no more frames for the slot in hand. What was found is still stored.
        case abandonPick
        /// Tell of the time that is left.
        case countdown(Slot, Duration)
        /// Tell of the slot ahead, and of the time that is left.
        case upcoming(Slot, Duration)
        /// Tell that a picture that was being counted down to is not taken.
        case calledOff(Slot)
        /// Tell of slots in a row without a picture.
        case missed(SlotRun, MissReason)
        /// Close the camera and end.
        case end(CaptureSummary.Ending)
    }
}
