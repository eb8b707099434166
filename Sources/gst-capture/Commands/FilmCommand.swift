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
        discussion: """
            Examples:
              gst-capture film /srv/garden -o garden.mp4
              gst-capture film /srv/garden -o day.mp4 --since 2026-11-21 --until 2026-11-22 --length 20s
              gst-capture film ~/frames --rate 12.5 --gaps hold --deflicker --time
              gst-capture film ~/phone --size 1280x720 --fill --order time --camera 'Apple iPhone 15'
              gst-capture film ~/frames --dry-run                   what is missing, damaged or unusual

            Pictures are JPEG and PNG files of any size and orientation: they are turned upright and scaled to the film. \
            Files that are no pictures, and damaged ones, are skipped and listed; numbers and times may be missing. The \
            report names gaps, other sizes, several cameras, and pictures before which the clock was set back.

            The film plays while it grows. After a crash, or Ctrl-C, the same command continues it with the next picture, \
            and the film is the same as without the interruption; a hidden file beside it, .NAME.film, says what is in \
            it. Memory does not grow with the number of pictures.

            With --json each line is an object with "event" and "at": plan (of --dry-run), encoding (width, height, \
            encoder), resumed (pictures), restarted, progress (phase, pictures, of, left_ms), saved (pictures), \
            skipped (file, reason), error, and finished (source, file, complete, frames, duration_ms, rate, width, height, bytes, encoder, \
            left_out, untimed, skipped, gaps, clock_set_back, cameras, sizes).
            """
    ).parsedAlone

    @OptionGroup var options: FilmOptions

    func run() async throws {
        guard let signals = SignalListener.listen() else { throw SignalListener.status ?? .success }
        let (options, isQuiet) = (options, options.json || options.quiet)
        let job = FilmJob(options) { () throws(CaptureError) in
            await GStreamerStart.finished { if !isQuiet { Console().warn($0.description) } }
            return options.needsRasterizer ? try RasterProcess.installed() : nil
        }
        let (outcome, signal) = await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await Self.handle(signals, job) }
            let outcome = await job.run()
            group.cancelAll()
            return (outcome, await group.next() ?? nil)
        }
        switch outcome {
        case .complete: break
        case .stopped: throw ExitStatus(code: 128 + (signal ?? SIGINT))
        case .failed(let error): throw signal.map { ExitStatus(code: 128 + $0) } ?? ExitStatus(error)
        }
    }

    /// Handles signals until the film is over.
    ///
    /// - Returns: The signal that stopped it.
    private static func handle(_ signals: AsyncStream<Int32>, _ job: FilmJob) async -> Int32? {
        var end: Int32?
        for await signal in signals {
            switch signal {
            case SIGINT, SIGTERM, SIGQUIT, SIGHUP:
                // A second signal does not wait for a disk that hangs. Before the film begins, there is nothing to end.
                guard end == nil, job.stop() else { ExitStatus(code: 128 + signal).leave() }
                end = signal
            case SIGTSTP: SignalListener.stop()
            default: break
            }
        }
        return end
    }
}
