// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import Logging
import PipelineKit
import ServiceLifecycle
import SystemBase

/// The sender of an outbox as a child of a service that runs in a terminal. With systemd, the sender has its own unit:
/// the service must not reach other machines there.
struct SenderProcess: Service {
    private let path: String
    private let state: String
    private let logger: Logger

    /// The pauses after unexpected ends double from this one to the longest.
    private static let (firstPause, longestPause) = (Duration.seconds(5), Duration.seconds(600))

    /// Prepares the sender; `nil` if the service manager has started this process.
    ///
    /// - Parameters:
    ///   - path: The file of the outbox.
    ///   - state: The state folder.
    init?(path: String, state: String, _ logger: Logger) {
        guard getenv("NOTIFY_SOCKET") == nil else { return nil }
        (self.path, self.state, self.logger) = (path, state, logger)
    }

    /// Runs the sender until the service shuts down, and starts it again after an unexpected end.
    func run() async throws {
        var pause = Self.firstPause
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let reason: String
            switch await runOnce() {
            case .exited(EXIT_SUCCESS): reason = "ended"
            case .exited(CaptureError.Code.temporary.exitStatus):
                logger.notice("outbox: another process sends")
                return try await gracefulShutdown()
            case .exited(let status) where [64, 66, 78].contains(status): return try await gracefulShutdown()
            case .exited(let status): reason = "ended with status \(status)"
            case .killed(let signal): reason = "was ended by signal \(signal)"
            case .unknown: reason = "cannot be started"
            }
            if Task.isShuttingDownGracefully { return }
            logger.warning("outbox: the sender \(reason); it starts again in \(pause.shortText)")
            try? await cancelWhenGracefulShutdown { [pause] in
                try await Task.sleep(for: pause, clock: .suspending)
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Runs the sender once, until it ends. A shutdown ends it, and so does the end of this process by any signal: the
    /// sender then reads the end of its input.
    private func runOnce() async -> ChildProcess.Ending {
        guard let (process, input) = try? start() else { return .unknown }
        defer { close(input) }
        return await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await BlockingWork.run { process.reap() }
            } onGracefulShutdown: {
                process.signal(SIGTERM)
            }
        } onCancel: {
            process.signal(SIGTERM)
        }
    }

    /// Starts the sender.
    ///
    /// - Returns: The process, and the socket whose end is the end of its input; the caller must close it.
    private func start() throws(ChildProcess.NotStarted) -> (ChildProcess, input: Int32) {
        let input = try SocketPair()
        let process = try ChildProcess(
            "/proc/self/exe",
            arguments: [
                "gst-capture-serve", "outbox", "send", "--config", path, "--state", state, "--until-input-ends",
            ],
            environment: OwnEnvironment.lines,
            streams: [.descriptor(input.theirs), .null, .descriptor(STDERR_FILENO)])
        return (process, input.keepOurs())
    }
}
#endif
