// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import ScheduleKit
import StillKit

/// An event during a capture, emitted as it happens. New events may be added: give every switch a default.
public enum CaptureEvent: Sendable {
    /// The camera is being opened, with this pipeline in gst-launch syntax.
    case opening(source: String, pipeline: String)
    /// Frames arrive; exposure has converged, or the capture did not wait for it.
    case settled(SettleReport)
    /// A slot is due after this time. Emitted ``CaptureConfiguration/notice`` before the slot, or later, once it is the
    /// next slot.
    case upcoming(Slot, in: Duration)
    /// The time until the next slot, emitted once a second during the countdown.
    case countdown(Slot, remaining: Duration)
    /// The slot's moment has come: a frame is being chosen.
    case willCapture(Slot)
    /// A picture is durable. A picture that was emitted by this event is never lost.
    case captured(Still)
    /// A live photo is complete, and has its line in the ledger. If it has a movie, this is in the file, durably: the
    /// file has another size and hash than in ``captured(_:)``. Otherwise, a notice says why there is none.
    case livePhoto(Still, hasMovie: Bool)
    /// All pictures of a slot are durable or were emitted as failed. It follows the last of them.
    case stored(Slot)
    /// One slot, or several in a row for the same reason, passed without a picture.
    case missed(SlotRun, MissReason)
    /// A frame was chosen but no picture could be made of it or stored; or the source cut a burst short.
    case failed(Slot, CaptureError)
    /// The countdown to a picture was canceled: no picture is captured.
    case calledOff(Slot)
    /// The preview shows frames of this size from now on.
    case previewing(width: Int, height: Int)
    /// The preview shows the layers and values of the last change.
    case drawn
    /// The user pressed a key in the preview's window, by X's name for it: `space`, `a`, `Escape`.
    case key(String)
    /// The preview ended, and pictures continue: the user closed its window (`nil`), or it failed with this error.
    case previewEnded(CaptureError?)
    /// No frame has arrived for this long, and no error explains it.
    case stalled(Duration)
    /// The camera is gone, or delivers no frames: slots pass without pictures until it is back.
    case lost(CaptureError)
    /// An attempt to reopen the camera failed with this error. The next attempt follows after `next`, or as soon as the
    /// camera appears.
    case recovering(attempt: Int, next: Duration, CaptureError)
    /// Frames arrive again, this long after the camera was lost.
    case recovered(after: Duration)
    /// The free space where pictures go, and how long it lasts. Emitted at the start and when it has changed notably.
    case storage(StorageReport)
    /// Pictures cannot be stored because of this error. `held` pictures wait in memory; more will, up to
    /// ``CaptureConfiguration/heldBytes``.
    case storagePaused(CaptureError, held: Int)
    /// The disk accepts pictures again. `stored` pictures that waited are durable; each was emitted as
    /// ``CaptureEvent/captured(_:)``.
    case storageResumed(stored: Int)
    /// Pictures of the series were removed because of its limits.
    case removed([RemovedStill])
    /// The camera is closed until shortly before this slot.
    case resting(until: Slot)
    /// A message for the user that does not end the capture.
    case notice(Notice)
    /// The capture has ended, completely or early; the last event of all.
    case finished(CaptureSummary)
}
