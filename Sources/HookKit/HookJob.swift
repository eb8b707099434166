// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A pending run of a command.
struct HookJob: Sendable {
    /// The hook that the command runs for.
    let hook: Hook
    /// The command that the shell runs.
    let command: String
    /// The environment variables that describe the event.
    let variables: [String: String]
    /// The time limit of the command.
    let limit: Duration
    /// The moment at which the command is ended, even if its time limit is not reached; `nil` for no deadline.
    var deadline: ClockTime?

    /// The environment of the command: ``variables``, and the variables of this process, without the service manager's,
    /// other `CAPTURE_` variables, and those of ``OwnVariables``.
    var environment: [String] {
        let lines = OwnEnvironment.lines.filter { !Self.isOurs($0) && !OwnVariables.contain($0) }
        return lines + variables.map { "\($0)=\($1)" }.sorted()
    }

    private static func isOurs(_ line: String) -> Bool {
        ["CAPTURE_", "NOTIFY_SOCKET=", "WATCHDOG_PID=", "WATCHDOG_USEC="].contains { line.hasPrefix($0) }
    }
}
