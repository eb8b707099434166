// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    /// An event that the controller reports to the machine.
    enum Input: Sendable {
        /// Begin.
        case start
        /// The camera delivers frames and its picture is steady, for the first time or again after `.interrupted`.
        case ready
        /// The camera is lost, and its supervisor tries to recover it. Slots continue meanwhile.
        case interrupted
        /// The moment of the last `.wake` effect has come.
        case wake
        /// The frame nearest to the moment of the current slot has arrived: the slot will have a picture.
        case found
        /// The frame nearest to the moment of the current slot is too late, and the schedule skips late pictures.
        case tooLate
        /// All frames of the current slot have arrived.
        case picked
        /// The source ended before it delivered a frame for the current slot.
        case noFrame(CaptureError)
        /// All pictures of a slot are durable, or have failed.
        case stored
        /// Capture a picture now.
        case trigger
        /// Capture a picture after this long, with a countdown; or cancel the running timer.
        case timer(Duration)
        /// Capture a picture now and one every interval from then on, in addition to requested pictures; `nil` stops
        /// that.
        case repetition(Duration?)
        /// Stop after the current picture.
        case finish
        /// Stop after the current picture, because a limit is reached.
        case limit(CaptureError)
        /// Stop at once.
        case cancel
        /// The source ended; frames that it delivered before may still be pending.
        case ended(CaptureError)
        /// The machine was suspended for this long; its monotonic clock stood still.
        case suspended(Duration)
        /// The wall clock was set.
        case clockSet(TimeLine)
        /// The source is lost for good.
        case lost(CaptureError)
    }
}
