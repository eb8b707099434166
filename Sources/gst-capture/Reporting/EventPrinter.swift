// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipList

/// Prints the events of a capture. One implementation is for programs, two are for people.
protocol EventPrinter: Sendable {
    /// Prints an event. Events arrive in order.
    mutating func show(_ event: CaptureEvent)
    /// Prints an error that ends the capture, or a message of the command itself.
    mutating func report(_ remark: Remark)
    /// Continues with another schedule from this position.
    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?)
    /// `true` if the printer shows the passing time.
    var isLive: Bool { get }
    /// Redraws, because a second has passed or the width of the terminal has changed.
    mutating func refresh()
}

extension EventPrinter {
    var isLive: Bool { false }

    mutating func refresh() {}

    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {}
}

/// A message of the command itself during a capture.
enum Remark: Sendable {
    /// A notice of the command, such as the outcome of a reload.
    case notice(Notice)
    /// A line for people that programs do not get.
    case line(String)
    /// The film of a day is complete.
    case film(StoredClip)
    /// A key of a preview, and its result.
    case key(PreviewKey, PreviewDesk.Answer)
    /// The capture could not start, or failed.
    case error(CaptureError)
    /// The answer to a program's request.
    case answer(JSONValue)
}
