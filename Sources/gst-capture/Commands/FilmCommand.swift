// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import FilmCommands
import Glibc
import OverlayCompositor
import TerminalKit

/// Makes a film of pictures.
struct FilmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "film",
        abstract: "Make a film of the pictures of a folder, a series or an album.",
        discussion: FilmOptions.discussion
    ).parsedAlone

    @OptionGroup var options: FilmOptions

    func run() async throws {
        let (needsRasterizer, isQuiet) = (options.needsRasterizer, options.run.json || options.run.quiet)
        try await PictureJobRun.run(
            FilmJob(options) { () throws(CaptureError) in
                await GStreamerStart.finished { if !isQuiet { Console().warn($0.description) } }
                return needsRasterizer ? try RasterProcess.installed() : nil
            })
    }
}

/// Runs a job, and ends it at a signal.
enum PictureJobRun {
    /// Runs a job.
    ///
    /// - Throws: ``ExitStatus`` unless the job is complete.
    static func run(_ job: some PictureJob) async throws {
        guard let signals = SignalListener.listen() else { throw SignalListener.status ?? .success }
        let (outcome, signal) = await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await handle(signals, job) }
            let outcome = await job.run()
            group.cancelAll()
            return (outcome, await group.next() ?? nil)
        }
        if let signal, outcome != .complete { throw ExitStatus(code: 128 + signal) }
        if case .failed(let error) = outcome { throw ExitStatus(error) }
    }

    /// Handles signals until the job is over.
    ///
    /// - Returns: The signal that stopped it.
    private static func handle(_ signals: AsyncStream<Int32>, _ job: some PictureJob) async -> Int32? {
        var end: Int32?
        for await signal in signals {
            switch signal {
            case SIGINT, SIGTERM, SIGQUIT, SIGHUP:
                // A second signal does not wait for a disk that hangs. Before a file begins, there is nothing to end.
                guard end == nil, job.stop() else { ExitStatus(code: 128 + signal).leave() }
                end = signal
            case SIGTSTP: SignalListener.stop()
            default: break
            }
        }
        return end
    }
}
