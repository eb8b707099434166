// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A message to the service manager, as sd_notify(3) defines it.
package enum ServiceMessage: Sendable, Hashable {
    /// The service is ready.
    case ready
    /// The service has been reloading its settings since this time of the monotonic clock.
    case reloading(ClockTime)
    /// The service is stopping.
    case stopping
    /// One line of status for people.
    case status(String)
    /// The service still makes progress.
    case watchdog
    /// The service is not ready yet but makes progress; the manager waits this long for the next such message.
    case extendTimeout(Duration)

    /// `true` if the manager must not miss the message. Newer messages replace those of status and progress.
    package var isChangeOfState: Bool {
        switch self {
        case .ready, .reloading, .stopping: true
        case .status, .watchdog, .extendTimeout: false
        }
    }

    /// The lines of the message in a datagram.
    package var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time.nanoseconds / 1000)"
        case .stopping: "STOPPING=1"
        // A line break in a driver's message would begin another assignment.
        case .status(let text): "STATUS=" + text.withoutControls
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let span): "EXTEND_TIMEOUT_USEC=\(span.nanoseconds / 1000)"
        }
    }
}
