// Part of gst-capture. Apache License 2.0, see LICENSE.

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
