// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// Prints paths on standard output, and redraws one line on the terminal.
struct LiveEventPrinter: EventPrinter {
    private let console: Console
    private var progress: Progress
    private var isDrawn = false
    private var losses = LossReport()

    /// Creates a printer; the console must be a terminal.
    init(_ schedule: Schedule, console: Console) {
        progress = Progress(schedule)
        self.console = console
    }

    mutating func show(_ event: CaptureEvent) {
        progress.apply(event)
        let (summary, isReported) = losses.record(event, at: PipelineClock.system.now)
        if let summary {
            erase()
            console.warn(summary)
        }
        switch event {
        case .captured(let still):
            erase()
            console.path(of: still)
        case .failed, .missed, .storagePaused, .storageResumed, .stalled, .lost, .recovered, .notice:
            erase()
            if isReported { console.warn(event, isSeries: progress.total != 1) }
        case .finished(let summary):
            erase()
            if progress.total != 1, !summary.isEmpty { console.report(summary.sentence) }
        default: break
        }
        draw()
    }

    mutating func report(_ remark: Remark) {
        erase()
        switch remark {
        case .notice(let notice): console.report(notice.description)
        case .line(let text): console.report(text)
        case .film(let film): console.report(Wording.film(film))
        case .key(_, let answer): console.report(answer.message)
        case .error(let error): console.report(error)
        // Answers are for programs, which read JSON.
        case .answer: break
        }
        draw()
    }

    var isLive: Bool { true }

    mutating func refresh() { draw() }

    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {
        progress.follow(schedule, from: position)
    }

    private mutating func draw() {
        guard progress.phase != .done else { return }
        // The last column stays free: a full line would wrap on some terminals.
        let (terminal, columns) = (console.terminal, console.terminal.columns - 1)
        let separator = terminal.isUnicode ? " · " : " - "
        let parts = progress.parts(at: PipelineClock.system.now)
        let line = Progress.line(parts, columns: columns, separator: separator)
        console.stream.write("\r\u{1B}[K" + terminal.styled(line, progress.style))
        isDrawn = true
    }

    private mutating func erase() {
        if isDrawn { console.stream.write("\r\u{1B}[K") }
        isDrawn = false
    }
}

extension Progress {
    fileprivate var style: Terminal.Style {
        switch phase {
        case .countdown: .bold
        case .stalled: .yellow
        default: .dim
        }
    }
}
