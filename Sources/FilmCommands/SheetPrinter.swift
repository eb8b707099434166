// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import TerminalKit

/// Prints the progress of contact sheets and their report.
struct SheetPrinter: Sendable {
    private var output: JobPrinter

    init(_ options: OutputOptions) { output = JobPrinter(options) }

    /// Prints a plan.
    func show(plan report: SheetReport) { output.show(plan: report.lines, report.members) }

    /// Prints an event.
    mutating func show(_ event: SheetWriter.Event) {
        switch event {
        case .drawn(let count, let all): output.progress("drawing", count, all)
        case .skipped(let picture): output.skip(picture)
        case .written(let path, let count):
            output.write(
                path,
                [
                    .init(name: "file", value: .string(path)), .init(name: "pictures", value: .integer(count)),
                ])
        }
    }

    /// Prints the report of sheets, whose paths are printed.
    mutating func finish(_ report: SheetReport) {
        output.finish([], report.lines + [Wording.bytes(report.byteCount)], report.members)
    }

    /// Prints an error.
    mutating func fail(_ error: CaptureError) { output.fail(error) }
}
