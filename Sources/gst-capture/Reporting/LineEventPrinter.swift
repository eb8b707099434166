// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// Prints paths on standard output and plain lines for people, with the progress at most once per second. It is for
/// `--quiet`, and for output that is not a terminal.
struct LineEventPrinter: EventPrinter {
    /// The messages to print besides paths and errors.
    enum Verbosity: Sendable {
        /// Only slots without a picture, and a disk that does not accept pictures.
        case quiet
        /// All warnings and notices, and the progress of a series.
        case normal
    }

    private let verbosity: Verbosity
    private let console: Console
    private var progress: Progress
    private var lastLine: ClockTime?
    private var losses = LossReport()

    /// Creates a printer.
    init(_ schedule: Schedule, verbosity: Verbosity, console: Console) {
        progress = Progress(schedule)
        self.verbosity = verbosity
        self.console = console
    }

    mutating func show(_ event: CaptureEvent) {
        progress.apply(event)
        let (summary, isReported) = losses.record(event, at: PipelineClock.system.now)
        if let summary { console.warn(summary) }
        switch event {
        case .captured(let still):
            console.path(of: still)
            reportProgress()
        case .resting(let slot): reportRest(until: slot)
        case .countdown(_, let remaining): report("\(Progress.wholeSeconds(remaining))")
        case .failed, .missed, .storagePaused: if isReported { console.warn(event, isSeries: progress.total != 1) }
        case .storageResumed, .stalled, .lost, .recovered, .notice:
            if verbosity == .normal { console.warn(event, isSeries: progress.total != 1) }
        case .finished(let summary): if progress.total != 1, !summary.isEmpty { report(summary.sentence) }
        default: break
        }
    }

    func report(_ remark: Remark) {
        switch remark {
        case .notice(let notice): report(notice.description)
        case .line(let text): report(text)
        case .film(let film): report(Wording.film(film))
        case .key(_, let answer): report(answer.message)
        case .error(let error): console.report(error)
        // Answers are for programs, which read JSON.
        case .answer: break
        }
    }

    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {
        progress.follow(schedule, from: position)
    }

    /// Reports a long rest only: with `--standby` the camera also rests between pictures.
    private func reportRest(until slot: Slot) {
        let now = PipelineClock.system.now
        guard slot.due - now >= Wording.longWait else { return }
        report("next \(Wording.moment(slot.due, at: now)); the camera is closed until then")
    }

    private mutating func reportProgress() {
        let now = PipelineClock.system.now
        guard progress.total != 1, lastLine.map({ now - $0 >= .seconds(1) }) ?? true else { return }
        lastLine = now
        let parts = progress.parts(at: now)
        report(Progress.line(parts, columns: .max, separator: ", "))
    }

    private func report(_ text: String) {
        if verbosity == .normal { console.report(text) }
    }
}
