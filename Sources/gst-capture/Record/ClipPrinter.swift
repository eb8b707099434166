// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipKit
import PipelineKit
import TerminalKit

/// Prints the events of a recording. Events arrive in order.
protocol ClipPrinter: Sendable {
    mutating func show(_ event: ClipEvent)
}

/// Prints events for programs, as one JSON object per line.
struct JSONClipPrinter: ClipPrinter {
    func show(_ event: ClipEvent) {
        StandardStream.output.line(event.json.text)
        // Programs read errors among the events; people read them on standard error.
        if case .finished(let summary) = event, case .failed(let error) = summary.ending { Console().report(error) }
    }
}

/// Prints paths on standard output, and lines for people on standard error. On a terminal, one line shows the time, the
/// size and the loudness.
struct LineClipPrinter: ClipPrinter {
    private let console: Console
    private let isQuiet: Bool
    private var start: ClockTime?
    private var level: Double?
    private var isDrawn = false

    init(_ console: Console, isQuiet: Bool) { (self.console, self.isQuiet) = (console, isQuiet) }

    mutating func show(_ event: ClipEvent) {
        if case .level(let peak) = event {
            level = peak
            return draw()
        }
        erase()
        switch event {
        case .encoding(let format):
            report("\(format.width)x\(format.height), \(rate(format.bitRate)), \(format.encoder)")
        case .armed: report("waiting for a trigger: SIGUSR1")
        case .began(let path, _):
            start = PipelineClock.system.now
            report("recording \(path)")
        case .recorded(let clip):
            start = nil
            StandardStream.output.line(clip.path)
            report(words(clip))
        case .microphone(let name): report(name.map { "microphone \($0) is on" } ?? "the microphone is off")
        case .lost(let error): console.warn("\(error.summary); trying to get it back")
        case .recovered(let span): console.warn("the camera is back after \(Wording.span(span))")
        case .notice(let notice): console.warn(notice.description)
        case .finished(let summary): finish(summary)
        case .opening, .level: break
        }
        draw()
    }

    private func finish(_ summary: ClipSummary) {
        if summary.clipCount > 1 {
            report("\(Wording.count(summary.clipCount, "file")), \(Wording.bytes(summary.byteCount))")
        }
        if case .failed(let error) = summary.ending { console.report(error) }
    }

    private func words(_ clip: Clip) -> String {
        var parts = [
            Wording.span(clip.duration), Wording.count(clip.frameCount, "picture"), Wording.bytes(clip.byteCount),
        ]
        if clip.droppedCount > 0 { parts.append("\(clip.droppedCount) dropped: the encoder or the disk is too slow") }
        if let error = clip.ending.error { parts.append(error.summary) }
        return parts.joined(separator: ", ")
    }

    private func rate(_ bits: Int) -> String {
        bits < 1_000_000 ? "\(bits / 1000) kbit/s" : "\(Double(bits / 100_000) / 10) Mbit/s"
    }

    private func report(_ text: String) { if !isQuiet { console.report(text) } }

    private mutating func draw() {
        guard console.terminal.isLive, !isQuiet, let start, let level else { return }
        let bar = String(repeating: console.terminal.isUnicode ? "▮" : "#", count: max(0, Int((level + 60) / 3)))
        let line = "\(Wording.span(PipelineClock.system.now - start))  \(bar)"
        console.stream.write("\r\u{1B}[K" + console.terminal.styled(line, .dim))
        isDrawn = true
    }

    private mutating func erase() {
        if isDrawn { console.stream.write("\r\u{1B}[K") }
        isDrawn = false
    }
}
