// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What is done about a camera that is lost: one that gives no frames, reports an error, or goes away.
public enum Recovery: Sendable, Hashable {
    /// The capture ends.
    case off
    /// It is opened again and again, this long; then the capture ends.
    case limited(to: Duration)
    /// It is opened again and again until it is back.
    case always
}

extension Recovery: CustomStringConvertible {
    /// As the setting has it: `off`, `forever`, or `10m`.
    public var description: String {
        switch self {
        case .off: "off"
        case .limited(let span): span.shortText
        case .always: "forever"
        }
    }
}

extension Recovery {
    /// True where a camera is opened again at all.
    var isOn: Bool { self != .off }

    /// When nothing more is tried for a camera that was lost at `start`; `nil` where that never comes.
    func end(after start: ClockTime) -> ClockTime? {
        switch self {
        case .off: start
        case .limited(let span): start + span
        case .always: nil
        }
    }
}
