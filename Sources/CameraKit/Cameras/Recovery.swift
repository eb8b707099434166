// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The reaction to a lost camera: one that delivers no frames, reports an error, or disappears.
public enum Recovery: Sendable, Hashable {
    /// The capture ends.
    case off
    /// The camera is reopened repeatedly for this long; then the capture ends.
    case limited(to: Duration)
    /// The camera is reopened repeatedly until it is back.
    case always
}

extension Recovery: CustomStringConvertible {
    /// The setting's text: `off`, `forever`, or `10m`.
    public var description: String {
        switch self {
        case .off: "off"
        case .limited(let span): span.shortText
        case .always: "forever"
        }
    }
}

extension Recovery {
    /// `true` if this recovery ends earlier than another one.
    package func isShorter(than other: Recovery) -> Bool {
        switch (self, other) {
        case (.off, .limited), (.off, .always), (.limited, .always): true
        case (.limited(let span), .limited(let otherSpan)): span < otherSpan
        default: false
        }
    }

    /// `true` if a lost camera is reopened.
    package var isOn: Bool { self != .off }

    /// Returns when the recovery of a camera that was lost at `start` ends; `nil` if it never ends.
    package func end(after start: ClockTime) -> ClockTime? {
        switch self {
        case .off: start
        case .limited(let span): start + span
        case .always: nil
        }
    }
}
