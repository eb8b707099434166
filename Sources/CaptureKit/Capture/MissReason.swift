// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Why a slot has no picture.
public enum MissReason: String, Sendable, Hashable {
    /// No frame came while it was due.
    case noFrame = "no-frame"
    /// Earlier pictures were still being encoded or stored.
    case backlog = "backlog"
    /// The program did not run when it was due: a suspended or overloaded machine.
    case overslept = "overslept"
    /// The camera was gone, or gave no frames.
    case lost = "lost"
    /// It could only have been met late, and late pictures are not wanted.
    case late = "late"
    /// Nobody ran the series when it was due, as far as its ledger tells: after a crash, a power cut or a stop, it went on
    /// later.
    case notRunning = "not-running"
    /// Nobody knows: it has no line, though slots before and after it have. The program was killed while it took the
    /// picture, or could not write its ledger.
    case unrecorded = "unrecorded"
    /// The capture was stopped first.
    case stopped = "stopped"

    /// The reason in words.
    public var explanation: String {
        switch self {
        case .noFrame: "the camera gave no frame"
        case .backlog: "earlier pictures were still being written"
        case .overslept: "the machine was busy or suspended"
        case .lost: "the camera was gone"
        case .late: "it would have been late"
        case .notRunning: "not accounted for: gst-capture was not running, or could not write its ledger"
        case .unrecorded: "not accounted for: gst-capture was killed, or could not write its ledger"
        case .stopped: "the capture was stopped"
        }
    }
}
