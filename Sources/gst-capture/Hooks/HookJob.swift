// Part of gst-capture. Apache License 2.0, see LICENSE.

@preconcurrency import Glibc
import PipelineKit

/// One run of a command that is to come.
struct HookJob: Sendable {
    /// The occasion.
    let hook: Hook
    /// What the shell runs.
    let command: String
    /// What it is told, by the names of variables.
    let variables: [String: String]
    /// How long it may take.
    let limit: Duration
    /// The moment at which it has to be over whatever it has left; `nil` for none.
    var deadline: ClockTime?

    /// All variables of the command: ours, without what is between us and the service manager, and what it is told.
    var environment: [String] {
        var lines: [String] = []
        var entry = environ
        while let line = entry.pointee {
            let text = String(cString: line)
            if !Self.isOurs(text) { lines.append(text) }
            entry = entry.successor()
        }
        return lines + variables.map { "\($0)=\($1)" }.sorted()
    }

    private static func isOurs(_ line: String) -> Bool {
        ["CAPTURE_", "NOTIFY_SOCKET=", "WATCHDOG_PID=", "WATCHDOG_USEC="].contains { line.hasPrefix($0) }
    }
}
