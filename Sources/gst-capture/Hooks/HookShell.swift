// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Starts commands and waits for them, on a thread of its own: both block.
actor HookShell {
    private let executor = BlockingExecutor("gst-capture.hook")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts a command: `/bin/sh -c`, without input. What it prints goes to our standard error, since paths are on
    /// standard output.
    func start(_ job: HookJob) throws(ChildProcess.NotStarted) -> ChildProcess {
        try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", job.command], environment: job.environment,
            streams: [.null, .descriptor(STDERR_FILENO), .descriptor(STDERR_FILENO)])
    }

    /// Waits until the shell ends. Those that it started may go on.
    func wait(for process: ChildProcess) { process.waitForEnd() }
}
