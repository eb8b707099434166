// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Shows what happens during a capture; one for programs, two for people.
protocol EventPrinter: Sendable {
    /// Shows an event, in the order they happen.
    mutating func show(_ event: CaptureEvent)
    /// Shows an error that ends all, or a notice of the command's own.
    mutating func tell(_ remark: Remark)
    /// Another schedule is followed from now on, from there.
    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?)
    /// True where time that passes is shown.
    var isLive: Bool { get }
    /// A second has passed, or the terminal has another width.
    mutating func refresh()
}

extension EventPrinter {
    var isLive: Bool { false }

    mutating func refresh() {}

    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {}
}

/// What the command itself has to say during a capture.
enum Remark: Sendable {
    /// A signal asked for something, or a reload went well.
    case notice(String)
    /// A key of a preview, and what came of it.
    case key(PreviewKey, PreviewDesk.Answer)
    /// The capture could not start, or a reload was refused.
    case error(CaptureError)
}
