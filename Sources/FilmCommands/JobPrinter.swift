// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import TerminalKit

/// Prints the progress and the report of a job: for programs as JSON, for people as lines, one of which shows how far the
/// job is and how long it will take.
struct JobPrinter: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let console = Console()
    private var start: ContinuousClock.Instant?
    private var shown: ContinuousClock.Instant?
    /// The count at ``start``, from which the remaining time follows.
    private var first = 0
    private var isDrawn = false

    init(_ options: OutputOptions) { (isJSON, isQuiet) = (options.json, options.quiet) }

    /// Prints a plan.
    func show(plan lines: [String], _ members: [JSONValue.Member]) {
        if isJSON { return line("plan", members) }
        for text in lines { StandardStream.output.line(text) }
    }

    /// Prints an event that people see, too.
    mutating func report(_ name: String, _ text: String, _ members: [JSONValue.Member]) {
        if isJSON { return line(name, members) }
        erase()
        if !isQuiet { console.report(text) }
    }

    /// Prints an event for programs alone.
    func record(_ name: String, _ members: [JSONValue.Member]) { if isJSON { line(name, members) } }

    /// Prints the path of a file that is complete.
    mutating func write(_ path: String, _ members: [JSONValue.Member]) {
        if isJSON { return line("written", members) }
        erase()
        StandardStream.output.line(path)
    }

    /// Prints that a picture is skipped.
    mutating func skip(_ picture: SkippedPicture) {
        let members: [JSONValue.Member] = [
            .init(name: "file", value: .string(picture.name)), .init(name: "reason", value: .string(picture.reason)),
        ]
        if isJSON { return line("skipped", members) }
        erase()
        console.warn("\(picture.name): \(picture.reason); skipped")
    }

    /// Prints the paths of files and the report.
    mutating func finish(_ paths: [String], _ lines: [String], _ members: [JSONValue.Member]) {
        if isJSON { return line("finished", members) }
        erase()
        for path in paths { StandardStream.output.line(path) }
        guard !isQuiet else { return }
        for text in lines { console.report(text) }
    }

    /// Prints an error.
    mutating func fail(_ error: CaptureError) {
        erase()
        if isJSON { line("error", [.init(name: "error", value: error.json)]) }
        console.report(error)
    }

    private func line(_ name: String, _ members: [JSONValue.Member]) {
        StandardStream.output.line(JSONValue.event(name, members).text)
    }

    // MARK: Progress

    /// Shows how many pictures are done: on a terminal five times a second, and for programs once a second.
    mutating func progress(_ phase: String, _ count: Int, _ all: Int) {
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
