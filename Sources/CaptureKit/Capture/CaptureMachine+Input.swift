// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CaptureMachine {
    /// What happened.
    enum Input: Sendable {
        /// Begin.
        case start
        /// The camera delivers, and its picture is steady; for the first time, or again after `.interrupted`.
        case ready
        /// The camera is lost, and others try to get it back. Slots go on meanwhile.
        case interrupted
        /// The moment asked for with `.wake` has come.
        case wake
        /// The frame nearest the moment of the slot in hand is there: it will have a picture.
        case found
        /// The frame nearest the moment of the slot in hand is too far from it, where late pictures are not wanted.
        case tooLate
        /// All frames of the slot in hand are there.
        case picked
        /// The source ended before it gave a frame for the slot in hand.
        case noFrame(CaptureError)
        /// All pictures of a slot are durable, or have failed.
        case stored
        /// Take one now.
        case trigger
        /// Take one after this long, counting the seconds; or call off the one that is being counted.
        case timer(Duration)
        /// Take one now and one every so long from then on, beside what is asked for; `nil` for no more.
        case repetition(Duration?)
        /// Stop after the picture in hand.
        case finish
        /// Stop after the picture in hand, as a limit is reached.
        case limit(CaptureError)
        /// Stop at once.
        case cancel
        /// The source came to its end; frames that it gave before may still wait to be taken.
        case ended(CaptureError)
        /// The machine was suspended for so long; its monotonic clock stood still.
        case suspended(Duration)
        /// The wall clock was set.
        case clockSet(TimeLine)
        /// The source is gone for good.
        case lost(CaptureError)
    }
}
