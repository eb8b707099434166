// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import OverlayCompositor
import Synchronization

/// One run of `gst-capture film`.
package final class FilmJob: PictureJob {
    private let options: FilmOptions
    private let prepare: @Sendable () async throws(CaptureError) -> (any Rasterizer)?
    private let writer = Mutex<FilmWriter?>(nil)

    /// Creates a job.
    ///
    /// - Parameter prepare: Starts GStreamer, and returns the rasterizer of the time.
    package init(
        _ options: FilmOptions, prepare: @escaping @Sendable () async throws(CaptureError) -> (any Rasterizer)?
    ) { (self.options, self.prepare) = (options, prepare) }

    package func stop() -> Bool {
        guard let writer = writer.withLock({ $0 }) else { return false }
        writer.stop()
        return true
    }

    package func run() async -> PictureJobOutcome {
        var printer = FilmPrinter(options.run)
        do throws(CaptureError) {
            let settings = try options.settings()
            let (plan, report, _) = try await options.choice.plan(settings)
            guard !options.run.dryRun else {
                printer.show(plan: report)
                return .complete
            }
            let film = try await write(plan, settings, report, &printer)
            printer.finish(film)
            return film.film?.isComplete == true ? .complete : .stopped
        } catch {
            printer.fail(error)
            return .failed(error)
        }
    }

    private func write(
        _ plan: FilmPlan, _ settings: FilmSettings, _ report: FilmReport, _ printer: inout FilmPrinter
    ) async throws(CaptureError) -> FilmReport {
        let rasterizer = try await prepare()
        let (events, continuation) = AsyncStream.makeStream(of: FilmWriter.Event.self)
        let writer = FilmWriter(plan, settings, to: options.path, rasterizer) { continuation.yield($0) }
        self.writer.withLock { $0 = writer }
        let overwrites = options.run.overwrite
        return try await Self.following(
            events, continuation, show: { printer.show($0) },
            while: { () throws(CaptureError) in try await writer.run(report, overwrites: overwrites) })
    }
}
