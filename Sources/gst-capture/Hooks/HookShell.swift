// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Starts commands and waits for them. It runs on a separate thread, because both block.
actor HookShell {
    private let executor = BlockingExecutor("gst-capture.hook")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts a command with `/bin/sh -c`. Its input is `/dev/null`. Its output goes to standard error, because
    /// standard output is for paths.
    func start(_ job: HookJob) throws(ChildProcess.NotStarted) -> ChildProcess {
        try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", job.command], environment: job.environment,
            streams: [.null, .descriptor(STDERR_FILENO), .descriptor(STDERR_FILENO)])
    }

    /// Waits until the shell ends. Processes that it started may still run.
    func wait(for process: ChildProcess) { process.waitForEnd() }
}
