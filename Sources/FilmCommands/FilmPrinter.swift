// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import TerminalKit

/// Prints the progress of a film and its report.
struct FilmPrinter: Sendable {
    private var output: JobPrinter

    init(_ options: OutputOptions) { output = JobPrinter(options) }

    /// Prints a plan.
    func show(plan report: FilmReport) { output.show(plan: report.lines, report.members) }

    /// Prints an event.
    mutating func show(_ event: FilmWriter.Event) {
        switch event {
        case .encoding(let size, let encoder):
            output.report(
                "encoding", "\(size), \(encoder)",
                [
                    .init(name: "width", value: .integer(size.width)),
                    .init(name: "height", value: .integer(size.height)),
                    .init(name: "encoder", value: .string(encoder)),
                ])
        case .resumed(let count):
            output.report(
                "resumed", "continuing after \(Wording.count(count, "picture"))",
                [.init(name: "pictures", value: .integer(count))])
        case .restarted:
            output.report("restarted", "the pictures or the settings have changed: beginning again", [])
        case .skipped(let picture): output.skip(picture)
        case .saved(let count): output.record("saved", [.init(name: "pictures", value: .integer(count))])
        case .measured(let count, let all): output.progress("measuring", count, all)
        case .written(let count, let all): output.progress("encoding", count, all)
        }
    }

    /// Prints the report of a film.
    mutating func finish(_ report: FilmReport) {
        let size = report.film.map {
            Wording.bytes($0.byteCount) + ($0.isComplete ? "" : "; the same command continues the film")
        }
        output.finish(
            [report.film?.path].compactMap(\.self), report.lines + [size].compactMap(\.self), report.members)
    }

    /// Prints an error.
    mutating func fail(_ error: CaptureError) { output.fail(error) }
}
