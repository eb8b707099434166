// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit
import PresetKit

/// The commands in a capture's settings.
package struct HookCommands: Sendable, Hashable {
    /// The shell command for each hook.
    var commands: [Hook: String] = [:]
    /// The time limit of each command.
    var limit = CaptureSettings.standardExecLimit
    /// `true` if the pictures are live photos: their commands wait for the movies.
    var isLive = false
    /// The id of the camera; `source` for GStreamer elements. A session can have several: it is the one of the last event.
    var camera = ""

    /// Creates the commands of a capture, or without a source those of a session, whose events name its cameras.
    package init(_ settings: CaptureSettings, _ source: CaptureConfiguration.Source? = nil) {
        commands[.before] = settings.execBefore
        commands[.after] = settings.execAfter
        commands[.lost] = settings.execLost
        commands[.recovered] = settings.execRecovered
        // Only sessions use these two.
        commands[.picture] = settings.execPicture
        commands[.accepted] = settings.execAccepted
        limit = settings.execLimit ?? limit
        isLive = settings.live ?? false
        switch source {
        case .camera(let camera)?: self.camera = camera.id
        case .fragment?: camera = "source"
        case nil: break
        }
    }
}

/// An event for which the user can set a command.
enum Hook: String, Sendable, Hashable, CaseIterable {
    /// A picture is due soon.
    case before
    /// All pictures of a slot are durable.
    case after
    /// The camera is lost.
    case lost
    /// The camera is back.
    case recovered
    /// A picture of a session is durable.
    case picture
    /// The pictures of a session were accepted.
    case accepted

    /// The option that sets the command.
    var option: String { "--exec-\(rawValue)" }
}

/// Starts commands and waits for them. It runs on a separate thread, because both block.
actor HookShell {
    private let executor = BlockingExecutor("gst-capture.hook")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts a command with `/bin/sh -c`. Its input is `/dev/null`. Its output goes to standard error, because
    /// standard output is for paths.
    ///
    /// - Throws: `ChildProcess.NotStarted` with the `errno`.
    func start(_ job: HookJob) throws(ChildProcess.NotStarted) -> ChildProcess {
        try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", job.command], environment: job.environment,
            streams: [.null, .descriptor(STDERR_FILENO), .descriptor(STDERR_FILENO)])
    }

    /// Waits until the shell ends. Processes that it started may still run.
    func wait(for process: ChildProcess) { process.waitForEnd() }
}
