// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Why a slot has no picture.
public enum MissReason: String, Sendable, Hashable {
    /// The camera delivered no frame while the slot was due.
    case noFrame = "no-frame"
    /// Earlier pictures were still being encoded or stored.
    case backlog = "backlog"
    /// The program did not run when the slot was due: the machine was suspended or overloaded.
    case overslept = "overslept"
    /// The camera was disconnected, or had stopped delivering frames.
    case lost = "lost"
    /// The picture would have been late, and the schedule skips late pictures.
    case late = "late"
    /// No program ran the series when the slot was due, according to its ledger. The series resumed later, after a
    /// crash, a power cut or a stop.
    case notRunning = "not-running"
    /// The reason is unknown: the slot has no line, although slots before and after it have one. The program was killed
    /// while it captured the picture, or could not write its ledger.
    case unrecorded = "unrecorded"
    /// The capture was stopped before the slot had a frame.
    case stopped = "stopped"

    /// The reason in words.
    public var explanation: String {
        switch self {
        case .noFrame: "the camera delivered no frame"
        case .backlog: "earlier pictures were still being written"
        case .overslept: "the machine was busy or suspended"
        case .lost: "the camera was lost"
        case .late: "the picture would have been late"
        case .notRunning: "not accounted for: gst-capture was not running, or could not write its ledger"
        case .unrecorded: "not accounted for: gst-capture was killed, or could not write its ledger"
        case .stopped: "the capture was stopped"
        }
    }
}
