// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    /// A command to the controller.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then send `.ready`.
        case open
        /// Close the camera until shortly before the slot.
        case rest(until: Slot)
        /// Open the camera again, then send `.ready`.
        case rouse
        /// Send `.wake` at this moment; replaces the previous wake.
        case wake(ClockTime)
        /// Choose the frame nearest to the slot's moment and send `.found`; then choose the frames that follow and send
        /// `.picked`.
        case pick(Slot)
        /// Choose no more frames for the current slot. Frames that were chosen are still stored.
        case abandonPick
        /// Emit the remaining time.
        case countdown(Slot, Duration)
        /// Emit the next slot and the remaining time.
        case upcoming(Slot, Duration)
        /// Emit that the countdown to this picture was canceled.
        case calledOff(Slot)
        /// Emit consecutive slots without a picture.
        case missed(SlotRun, MissReason)
        /// Close the camera and end.
        case end(CaptureSummary.Ending)
    }
}
