// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a service tells its manager, after sd_notify(3).
enum ServiceMessage: Sendable, Hashable {
    /// It works.
    case ready
    /// It reads its settings anew since that moment of the monotonic clock.
    case reloading(ClockTime)
    /// It is about to end.
    case stopping
    /// One line for people.
    case status(String)
    /// It still makes progress.
    case watchdog
    /// It is not ready yet, but gets on: the manager may wait so long for the next of these.
    case extendTimeout(Duration)

    /// The lines of the datagram.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time.nanoseconds / 1000)"
        case .stopping: "STOPPING=1"
        // A line end in what a driver says would begin another message.
        case .status(let text): "STATUS=" + text.withoutControls
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let span): "EXTEND_TIMEOUT_USEC=\(span.nanoseconds / 1000)"
        }
    }
}
