// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What happens during a capture, as it happens. New events may be added: give every switch a default.
public enum CaptureEvent: Sendable {
    /// The camera is opened, with this pipeline in gst-launch syntax.
    case opening(source: String, pipeline: String)
    /// Frames come; exposure has converged, or was not waited for.
    case settled(SettleReport)
    /// Time until the next slot, once a second in the countdown.
    case countdown(Slot, remaining: Duration)
    /// The slot's moment has come: a frame is chosen now.
    case willCapture(Slot)
    /// A picture is durable. Nothing that was announced so is ever lost.
    case captured(Still)
    /// A slot went by without a picture.
    case missed(Slot, MissReason)
    /// A frame was there, but no picture came of it.
    case failed(Slot, CaptureError)
    /// No frame has come for this long, and nobody says why.
    case stalled(Duration)
    /// Something is worth knowing, in one line.
    case notice(String)
    /// All is done, or ended early: the last event of all.
    case finished(CaptureSummary)
}

/// Why a slot has no picture.
public enum MissReason: String, Sendable, Hashable {
    /// No frame came while it was due.
    case noFrame = "no-frame"
    /// Earlier pictures were still being encoded or stored.
    case backlog = "backlog"
    /// The program did not run when it was due: a suspended or overloaded machine.
    case overslept = "overslept"
    /// The capture was stopped first.
    case stopped = "stopped"

    /// The reason in words.
    public var explanation: String {
        switch self {
        case .noFrame: "the camera gave no frame"
        case .backlog: "earlier pictures were still being written"
        case .overslept: "the machine was busy or suspended"
        case .stopped: "the capture was stopped"
        }
    }
}

/// A picture that was taken, with its record.
public struct Still: Sendable {
    /// The slot that it was taken for.
    public let slot: Slot
    /// Its number within a burst, from 0.
    public let burstIndex: Int
    /// Where it is; `nil` where it went to standard output or to the caller.
    public let path: String?
    /// The number in its name, and how many pictures this run has taken: the sequence number.
    public let sequence: Int
    /// The size of the file, in bytes.
    public let byteCount: Int
    /// Pixels in a row and rows, as stored.
    public let width: Int, height: Int
    /// The moment of the frame, by the wall clock.
    public let captured: WallTime
    /// How far the frame is from the moment asked for; negative where it is earlier.
    public let offset: Duration
    /// True where that is further than the capture tolerates.
    public let isLate: Bool
    /// How long encoding took, and how long it took to make it durable.
    public let encodingTime: Duration, storingTime: Duration
    /// The file's bytes, where the caller asked for them rather than a file.
    public let bytes: [UInt8]?
}

/// How exposure converged.
public struct SettleReport: Sendable, Hashable {
    /// How it ended.
    public enum Outcome: String, Sendable, Hashable {
        /// It was not waited for.
        case off
        /// The picture is steady.
        case steady
        /// The fixed time is over.
        case waited
        /// The picture was still changing when the time for it was over.
        case gaveUp = "gave-up"
    }

    /// How it ended.
    public let outcome: Outcome
    /// How long it took, from the first frame.
    public let duration: Duration
    /// How many frames were looked at.
    public let frames: Int
    /// Mean brightness at the end, 0 black to 1 white; `nil` where it was not measured.
    public let brightness: Double?
}

/// What became of a capture.
public struct CaptureSummary: Sendable {
    /// Why it ended.
    public enum Ending: Sendable, Hashable {
        /// All slots are accounted for.
        case completed
        /// Somebody asked it to stop.
        case stopped
        /// It could not go on.
        case failed(CaptureError)
    }

    /// Why it ended.
    public var ending: Ending = .completed
    /// Pictures that are durable, late ones included.
    public var captured = 0
    /// Of these, how many are late.
    public var late = 0
    /// Slots without a picture.
    public var missed = 0
    /// Slots whose picture could not be made or stored.
    public var failed = 0
    /// Slots of a schedule with an end that were never come to.
    public var unreached = 0
    /// The first error of a picture, if any.
    public var firstFailure: CaptureError?

    /// A summary of nothing.
    public init() {}
}
