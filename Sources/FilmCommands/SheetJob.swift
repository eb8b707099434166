// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import OverlayCompositor
import Synchronization

/// One run of `gst-capture sheet`.
package final class SheetJob: PictureJob {
    private let options: SheetOptions
    private let prepare: @Sendable () async throws(CaptureError) -> any Rasterizer
    private let writer = Mutex<SheetWriter?>(nil)

    /// Creates a job.
    ///
    /// - Parameter prepare: Starts GStreamer, and returns the rasterizer of the texts.
    package init(
        _ options: SheetOptions, prepare: @escaping @Sendable () async throws(CaptureError) -> any Rasterizer
    ) { (self.options, self.prepare) = (options, prepare) }

    package func stop() -> Bool {
        guard let writer = writer.withLock({ $0 }) else { return false }
        writer.stop()
        return true
    }

    package func run() async -> PictureJobOutcome {
        var printer = SheetPrinter(options.run)
        do throws(CaptureError) {
            let settings = try options.settings()
            let (film, findings, title) = try await options.choice.plan(settings.pictures)
            let plan = try SheetPlan(film, settings.sheet, title: title)
            let report = SheetReport(plan, findings)
            guard !options.run.dryRun else {
                printer.show(plan: report)
                return .complete
            }
            let sheets = try await write(plan, report, &printer)
            printer.finish(sheets)
            return sheets.isComplete ? .complete : .stopped
        } catch {
            printer.fail(error)
            return .failed(error)
        }
    }

    private func write(
        _ plan: SheetPlan, _ report: SheetReport, _ printer: inout SheetPrinter
    ) async throws(CaptureError) -> SheetReport {
        let rasterizer = try await prepare()
        let (events, continuation) = AsyncStream.makeStream(of: SheetWriter.Event.self)
        let writer = SheetWriter(plan, to: options.path, rasterizer) { continuation.yield($0) }
        self.writer.withLock { $0 = writer }
        let overwrites = options.run.overwrite
        return try await Self.following(
            events, continuation, show: { printer.show($0) },
            while: { () throws(CaptureError) in try await writer.run(report, overwrites: overwrites) })
    }
}
