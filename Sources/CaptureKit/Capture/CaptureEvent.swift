// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What happens during a capture, as it happens. New events may be added: give every switch a default.
public enum CaptureEvent: Sendable {
    /// The camera is opened, with this pipeline in gst-launch syntax.
    case opening(source: String, pipeline: String)
    /// Frames come; exposure has converged, or was not waited for.
    case settled(SettleReport)
    /// A slot is due so soon; told ``CaptureConfiguration/notice`` before, or as soon after that as it is the next.
    case upcoming(Slot, in: Duration)
    /// Time until the next slot, once a second in the countdown.
    case countdown(Slot, remaining: Duration)
    /// The slot's moment has come: a frame is chosen now.
    case willCapture(Slot)
    /// A picture is durable. Nothing that was announced so is ever lost.
    case captured(Still)
    /// All pictures of a slot are durable, or were told as failed; after the last of them.
    case stored(Slot)
    /// Slots went by without a picture: one, or many in a row that have one reason.
    case missed(SlotRun, MissReason)
    /// A frame was there, but no picture came of it; or the source cut a burst short.
    case failed(Slot, CaptureError)
    /// The countdown to a picture was stopped: none is taken.
    case calledOff(Slot)
    /// The preview shows frames of this size from now on.
    case previewing(width: Int, height: Int)
    /// The preview shows the layers and values of the last change.
    case drawn
    /// Somebody pressed a key in the preview's window, by X's name for it: `space`, `a`, `Escape`.
    case key(String)
    /// The preview is over, pictures go on: its window was closed, or it failed, and why.
    case previewEnded(CaptureError?)
    /// No frame has come for this long, and nobody says why.
    case stalled(Duration)
    /// The camera is gone, or gives no frames: slots go by without pictures until it is back.
    case lost(CaptureError)
    /// An attempt to open it again failed, and why; the next comes after that long, or as soon as the camera shows itself.
    case recovering(attempt: Int, next: Duration, CaptureError)
    /// Frames come again, so long after the camera was lost.
    case recovered(after: Duration)
    /// How much is free where pictures go, and for how long; told at the start, and when it is another.
    case storage(StorageReport)
    /// Pictures cannot be stored, and why: so many wait in memory, and more will as far as that is allowed.
    case storagePaused(CaptureError, held: Int)
    /// The disk takes pictures again: so many that waited are durable, each of which was told.
    case storageResumed(stored: Int)
    /// Pictures of the series were removed because of its limits.
    case removed([RemovedStill])
    /// The camera is closed until shortly before this slot.
    case resting(until: Slot)
    /// Something is worth knowing, in one line.
    case notice(String)
    /// All is done, or ended early: the last event of all.
    case finished(CaptureSummary)
}
