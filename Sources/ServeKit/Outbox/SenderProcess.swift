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
        let arguments = [
            "gst-capture-serve", "outbox", "send", "--config", path, "--state", state, "--until-input-ends",
        ]
        // Sockets: Glibc declares pipe2(2), whose ends no other child gets, for `_GNU_SOURCE` only.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return .unknown }
        let (input, held) = (ends[0], ends[1])
        defer { close(held) }
        let streams: [ChildProcess.Stream] = [.descriptor(input), .null, .descriptor(STDERR_FILENO)]
        let started = try? ChildProcess(
            "/proc/self/exe", arguments: arguments, environment: OwnEnvironment.lines, streams: streams)
        close(input)
        guard let process = started else { return .unknown }
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
}
#endif
