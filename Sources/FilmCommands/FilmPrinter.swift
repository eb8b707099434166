// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import TerminalKit

/// Prints the progress of a film and its report: for programs as JSON, for people as lines, one of which shows how far the
/// film is and how long it will take.
package struct FilmPrinter: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let console = Console()
    private var start: ContinuousClock.Instant?
    private var shown: ContinuousClock.Instant?
    /// The count at ``start``, from which the remaining time follows.
    private var first = 0
    private var isDrawn = false

    package init(_ options: FilmOptions) { (isJSON, isQuiet) = (options.json, options.quiet) }

    /// Prints a plan.
    package func show(plan report: FilmReport) {
        if isJSON { return line("plan", report.members) }
        for text in report.lines { StandardStream.output.line(text) }
    }

    /// Prints an event.
    package mutating func show(_ event: FilmWriter.Event) {
        switch event {
        case .encoding(let size, let encoder):
            report(
                "encoding", "\(size), \(encoder)",
                [
                    .init(name: "width", value: .integer(size.width)),
                    .init(name: "height", value: .integer(size.height)),
                    .init(name: "encoder", value: .string(encoder)),
                ])
        case .resumed(let count):
            report(
                "resumed", "continuing after \(Wording.count(count, "picture"))",
                [.init(name: "pictures", value: .integer(count))])
        case .restarted:
            report("restarted", "the pictures or the settings have changed: beginning again", [])
        case .skipped(let picture):
            let members: [JSONValue.Member] = [
                .init(name: "file", value: .string(picture.name)),
                .init(name: "reason", value: .string(picture.reason)),
            ]
            if isJSON { return line("skipped", members) }
            erase()
            console.warn("\(picture.name): \(picture.reason); skipped")
        case .saved(let count):
            if isJSON { line("saved", [.init(name: "pictures", value: .integer(count))]) }
        case .measured(let count, let all): progress("measuring", count, all)
        case .written(let count, let all): progress("encoding", count, all)
        }
    }

    /// Prints the report of a film.
    package mutating func finish(_ report: FilmReport) {
        if isJSON { return line("finished", report.members) }
        erase()
        if let film = report.film { StandardStream.output.line(film.path) }
        guard !isQuiet else { return }
        for text in report.lines { console.report(text) }
        guard let film = report.film else { return }
        console.report(Wording.bytes(film.byteCount) + (film.isComplete ? "" : "; the same command continues the film"))
    }

    /// Prints an error.
    package mutating func fail(_ error: CaptureError) {
        erase()
        if isJSON { line("error", [.init(name: "error", value: error.json)]) }
        console.report(error)
    }

    private mutating func report(_ name: String, _ text: String, _ members: [JSONValue.Member]) {
        if isJSON { return line(name, members) }
        erase()
        if !isQuiet { console.report(text) }
    }

    private func line(_ name: String, _ members: [JSONValue.Member]) {
        StandardStream.output.line(JSONValue.event(name, members).text)
    }

    // MARK: Progress

    /// Shows how many pictures are done: on a terminal five times a second, and for programs once a second.
    private mutating func progress(_ phase: String, _ count: Int, _ all: Int) {
        let now = ContinuousClock.now
        if start == nil || count <= first { (start, first, shown) = (now, count, nil) }
        guard let start, isJSON || console.terminal.isLive && !isQuiet else { return }
        let pause: Duration = isJSON ? .seconds(1) : .milliseconds(200)
        guard now - (shown ?? start) >= pause else { return }
        shown = now
        let left = Self.left(count - first, all - count, in: now - start)
        guard !isJSON else {
            return line(
                "progress",
                [
                    .init(name: "phase", value: .string(phase)), .init(name: "pictures", value: .integer(count)),
                    .init(name: "of", value: .integer(all)), .init(name: "left_ms", value: .milliseconds(left)),
                ])
        }
        let text = "\(phase) \(count) of \(all), \(Wording.span(left)) left"
        console.stream.write("\r\u{1B}[K" + console.terminal.styled(text, .dim))
        isDrawn = true
    }

    /// Returns the time that the rest takes at the speed so far.
    static func left(_ done: Int, _ rest: Int, in span: Duration) -> Duration {
        done > 0 ? .nanoseconds(Int64(Double(span.nanoseconds) / Double(done) * Double(rest))) : .zero
    }

    private mutating func erase() {
        if isDrawn { console.stream.write("\r\u{1B}[K") }
        isDrawn = false
    }
}
